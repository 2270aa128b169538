"""What JPEG does to a picture: blocks of 8 x 8, the cosine transform, quantisation, the zigzag; and the picture back."""
import numjit as np


def inputs():
    y, x = np.mgrid[0:24, 0:32]
    picture = 128 + 60 * np.sin(x / 5) * np.cos(y / 4) + 50 * (x > 20)
    return np.clip(picture, 0, 255).astype(np.uint8), 50


def run(picture, quality):
    table = np.array([
        [16, 11, 10, 16, 24, 40, 51, 61], [12, 12, 14, 19, 26, 58, 60, 55], [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62], [18, 22, 37, 56, 68, 109, 103, 77], [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101], [72, 92, 95, 98, 112, 100, 103, 99]])
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    table = np.clip((table * scale + 50) // 100, 1, 255)
    k, n = np.ogrid[0:8, 0:8]
    cosines = np.cos(np.pi * (2 * n + 1) * k / 16) * np.where(k == 0, np.sqrt(1 / 8), 0.5)
    rows, columns = picture.shape[0] // 8, picture.shape[1] // 8
    blocks = picture.astype(np.float64).reshape(rows, 8, columns, 8).swapaxes(1, 2) - 128
    spectrum = np.einsum("ki,abij,lj->abkl", cosines, blocks, cosines)
    coded = np.rint(spectrum / table).astype(np.int16)
    # Along the diagonals, up and down in turn.
    i, j = np.indices((8, 8)).reshape(2, 64)
    zigzag = np.lexsort([np.where((i + j) % 2, i, j), i + j])
    lines = coded.reshape(-1, 64)[:, zigzag]
    used = 64 - np.argmax(lines[:, ::-1] != 0, axis=1)
    back = np.einsum("ki,abkl,lj->abij", cosines, (coded * table).astype(np.float64), cosines) + 128
    restored = np.clip(np.rint(back), 0, 255).astype(np.uint8).swapaxes(1, 2).reshape(picture.shape)
    error = np.mean((picture.astype(np.float64) - restored) ** 2)
    return lines, used, restored, 10 * np.log10(255 ** 2 / error), np.count_nonzero(coded) / coded.size
