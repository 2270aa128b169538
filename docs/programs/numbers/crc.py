"""Checksums (CRC-32) of many messages, bit by bit."""
import numjit as np


def inputs():
    return (np.arange(64 * 6).reshape(64, 6) * 37 % 256,)


@np.vectorize(signature="(n)->()")
def crc(message):
    c = 0xFFFFFFFF
    for byte in message:
        c = c ^ int(byte)
        for _ in range(8):
            c = (c >> 1) ^ 0xEDB88320 if c & 1 else c >> 1
    return c ^ 0xFFFFFFFF


def run(messages):
    return crc(messages)
