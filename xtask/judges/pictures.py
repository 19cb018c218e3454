"""Reads barcodes and QR codes off pictures with zxing, as a phone or a bank's scanner would."""

import pypdfium2
import zxingcpp
from PIL import Image

# What a scanner in an office sees of a sheet.
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72


def read_qr(image):
    """The texts of the QR codes on a picture."""
    return texts(image, zxingcpp.BarcodeFormat.QRCode)


def read_bars(image):
    """The digits of the barcodes on a picture."""
    return texts(image, zxingcpp.BarcodeFormat.ITF)


def texts(image, kind):
    return [code.text for code in zxingcpp.read_barcodes(image, formats=kind)]


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
