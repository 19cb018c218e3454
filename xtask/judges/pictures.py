"""Reads barcodes and QR codes off pictures with zxing, as a phone or a bank's scanner would."""

from itertools import groupby

import pypdfium2
import zxingcpp
from PIL import Image

# What a scanner in an office sees of a sheet.
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
MID_GREY = 128
# A boleto's bars have so many digits, and its readers take nothing else: interleaved digits carry
# no check of their own, so a few squares of a QR code on the same sheet can pass for two or four.
BOLETO_DIGITS = 44


def read_qr(image):
    """The texts of the QR codes on a picture."""
    return texts(image, zxingcpp.BarcodeFormat.QRCode)


def read_bars(image):
    """The digits of the boletos' barcodes on a picture."""
    read = texts(image, zxingcpp.BarcodeFormat.ITF)
    return [digits for digits in read if len(digits) == BOLETO_DIGITS]


def texts(image, kind):
    return [code.text for code in zxingcpp.read_barcodes(image, formats=kind)]


def element_widths(bars):
    """The widths in pixels that the bars of a grey picture have, and the gaps between them."""
    middle = bars.height // 2
    row = bars.crop((0, middle, bars.width, middle + 1)).tobytes()
    runs = [len(list(run)) for _, run in groupby(row, key=lambda pixel: pixel < MID_GREY)]
    return set(runs[1:-1])


def joined(files):
    """One picture of strips that stand side by side."""
    strips = [Image.open(file).convert("L") for file in files]
    image = Image.new("L", (sum(strip.width for strip in strips), strips[0].height))
    left = 0
    for strip in strips:
        image.paste(strip, (left, 0))
        left += strip.width
    return image


def sheet(pdf):
    """The first page of a PDF, as a scanner sees it."""
    with pypdfium2.PdfDocument(pdf) as document:
        scale = DOTS_PER_INCH / POINTS_PER_INCH
        return document[0].render(scale=scale, grayscale=True).to_pil()
