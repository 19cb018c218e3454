"""Reads barcodes and QR codes off drawings with zxing, as a phone would.

Paths are drawn pixel by pixel here, by what SVG says of them; no code is shared with the server.
"""

import re

import zxingcpp
from PIL import Image, ImageDraw

PIXELS_A_UNIT = 4
BARCODE_UNITS_HIGH = 60
TOKEN = re.compile(r"([MmHhVvZz])|(-?\d*\.?\d+)")
# A picture of one path with nothing but straight lines along the axes.
SVG = re.compile(
    r'<svg(?=[^>]*viewBox="0 0 (?P<width>\d+) (?P<height>\d+)")[^>]*>(?:(?!</svg>).)*?'
    r'<path(?P<stroke>[^>]*stroke=)?[^>]*\bd="(?P<path>[MmHhVvZz\d.\s-]+)"',
    re.DOTALL,
)


def read(image, kind):
    """The texts of all codes of one kind on an image; four digits stand in any noise of bars."""
    return [code.text for code in zxingcpp.read_barcodes(image, formats=kind)]


def read_page(page):
    """The texts of the barcodes and of the QR codes that a page draws, each as one path."""
    bars, squares = [], []
    for svg in SVG.finditer(page):
        if svg["height"] == "1":
            bars += read(drawn(svg), zxingcpp.BarcodeFormat.ITF)
        else:
            squares += read(drawn(svg), zxingcpp.BarcodeFormat.QRCode)
    return bars, squares


def read_picture(image):
    """The texts of the QR codes on a picture."""
    return read(image, zxingcpp.BarcodeFormat.QRCode)


def drawn(svg):
    width, height = int(svg["width"]), int(svg["height"])
    # A drawing one unit high is stretched by its page.
    stretched = BARCODE_UNITS_HIGH if height == 1 else 1
    size = (width * PIXELS_A_UNIT, height * stretched * PIXELS_A_UNIT)
    image = Image.new("L", size, 255)
    pencil = ImageDraw.Draw(image)
    half = 0.5 if svg["stroke"] else 0
    for points in subpaths(svg["path"]):
        across, down = zip(*points)
        left, right = min(across), max(across)
        top, bottom = (min(down) - half) * stretched, (max(down) + half) * stretched
        corners = (left, top, right, bottom)
        left, top, right, bottom = (round(corner * PIXELS_A_UNIT) for corner in corners)
        pencil.rectangle((left, top, right - 1, bottom - 1), fill=0)
    return image


def subpaths(path):
    """The corners of each part of a path of straight lines along the axes."""
    tokens = [match.group() for match in TOKEN.finditer(path)]
    x = y = at = 0
    command, parts = "", []
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
            if command in "Zz":
                x, y = parts[-1][0]
                continue
        number, at = float(tokens[at]), at + 1
        origin_x, origin_y = (x, y) if command.islower() else (0, 0)
        if command in "Mm":
            x, y, at = origin_x + number, origin_y + float(tokens[at]), at + 1
            parts.append([])
        elif command in "Hh":
            x = origin_x + number
        else:
            y = origin_y + number
        parts[-1].append((x, y))
    return parts
