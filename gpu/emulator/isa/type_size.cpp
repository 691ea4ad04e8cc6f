#include "gpu/emulator/isa/type_size.h"

namespace flashgate::gpu::isa {

int register_size(Type type)
{
  switch (type) {
    case Type::none:
    case Type::pred:
      return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8:
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f32x2:
    case Type::f64:
      return 8;
    default:
      return 4;
  }
}

Type bits_type(Type type)
{
  switch (register_size(type)) {
    case 2:
      return Type::b16;
    case 4:
      return Type::b32;
    case 8:
      return Type::b64;
    default:
      return type;
  }
}

}  // namespace flashgate::gpu::isa
