"""How well colours are told apart: WCAG's contrast ratio, and distances as colour-blind people see them."""

# Every visible text of the page: [text, its colour, what is behind it, pixels, weight]. Colours are red, green, blue from
# 0 to 255. A text in a picture stands on the shape beside it, or on the picture.
VISIBLE_TEXTS = """
const parse = (text) => {
  const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  return [r, g, b, a];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
const backdrop = (element) => {
  const layers = [];
  const shape = element.closest("g.node")?.querySelector("polygon, ellipse, path");
  if (shape) layers.push(parse(getComputedStyle(shape).fill));
  if (!element.closest("svg"))
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
};
// What dark mode makes of a picture: invert(0.92) hue-rotate(180deg), by the matrices of the Filter Effects standard.
const filtered = (element, colour) => {
  const svg = element.closest("svg");
  if (!svg || getComputedStyle(svg).filter === "none") return colour;
  const inverted = colour.map((c) => 255 * 0.92 - c * 0.84);
  return [[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]].map((row) =>
    Math.min(255, Math.max(0, row.reduce((sum, part, i) => sum + part * inverted[i], 0))));
};
const opacity = (element) => {
  let product = 1;
  for (let at = element; at; at = at.parentElement) product *= Number(getComputedStyle(at).opacity);
  return product;
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
  if (text === "" || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
  if (element.closest("script, style, noscript, title, .skip")) continue;
  const style = getComputedStyle(element), behind = backdrop(element);
  const [r, g, b, a] = parse(element.closest("svg") ? style.fill : style.color);
  const ink = over([r, g, b, a * opacity(element)], behind);
  found.push([text.slice(0, 60), filtered(element, ink), filtered(element, behind), parseFloat(style.fontSize),
    Number(style.fontWeight)]);
}
return found;
"""


def channels(colour):
    """Red, green and blue of "#rrggbb", from 0 to 255."""
    return [int(colour[at:at + 2], 16) for at in (1, 3, 5)]


def linear(colour):
    """sRGB channels from 0 to 255 as light from 0 to 1."""
    return [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]


def luminance(colour):
    return sum(weight * light for weight, light in zip((0.2126, 0.7152, 0.0722), linear(colour)))


def ratio(one, other):
    """WCAG 2.2's contrast ratio of two colours, 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def needed(pixels, weight):
    """The ratio that WCAG's level AA asks for: large text needs less."""
    return 3 if pixels >= 24 or (pixels >= 18.66 and weight >= 700) else 4.5


# How light of three wavelengths reaches people without red or green cones (Machado, Oliveira, Fernandes 2009, severity 1).
COLOUR_BLIND = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "full sight": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def seen_as(colour, sight):
    """CIE L*a*b* of the colour as seen with that sight."""
    light = linear(colour)
    r, g, b = [min(1, max(0, sum(m * c for m, c in zip(row, light)))) for row in COLOUR_BLIND[sight]]
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one, other, sight):
    """CIE 1976 difference as seen with that sight; 2 is just noticeable."""
    return sum((a - b) ** 2 for a, b in zip(seen_as(one, sight), seen_as(other, sight))) ** 0.5
