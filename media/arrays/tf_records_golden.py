#!/usr/bin/env python3
"""Writes the TFRecord file that tf_records_test.cpp reads, as hexadecimal digits.

Made from the descriptions of the formats alone, with a CRC-32C of its own, bit by bit: the file of
records from TensorFlow's guide "TFRecord and tf.train.Example", the messages from example.proto and
feature.proto of TensorFlow and protobuf's page on its encoding. Python 3, nothing else.
"""
import struct


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 * (crc & 1))
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(number):
    number &= (1 << 64) - 1  # negative numbers take ten bytes
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(features):
    return field(1, b"".join(field(1, field(1, name) + field(2, feature)) for name, feature in features))


def bytes_list(*values):
    return field(1, b"".join(field(1, value) for value in values))


def float_list(*values):
    return field(2, field(1, b"".join(struct.pack("<f", value) for value in values)))


def int64_list(*values):
    return field(3, field(1, b"".join(varint(value) for value in values)))


def int64_list_unpacked(*values):
    return field(3, b"".join(varint(1 << 3) + varint(value) for value in values))


first = example([
    (b"aerial/encoded", bytes_list(b"\x89PNG-aerial")),
    (b"streetlevel/encoded", bytes_list(b"\xff\xd8street")),
    (b"tree/genus/label", int64_list(17)),
    (b"numbers", float_list(1.5, -0.25)),
    (b"whole", int64_list_unpacked(-1, 300, 1 << 62)),
])
second = example([(b"empty", b""), (b"words", bytes_list(b"", b"acer"))])
digits = (record(first) + record(second) + record(b"")).hex()
for begin in range(0, len(digits), 90):
    print(f'    "{digits[begin:begin + 90]}"')
