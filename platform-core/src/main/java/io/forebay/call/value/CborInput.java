/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import static io.forebay.call.value.DecodeFailure.malformed;
import static io.forebay.call.value.DecodeFailure.wrongType;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads CBOR items from one message. Every length is checked against the rest of the message before
 * anything is allocated; an indefinite length is refused.
 */
public final class CborInput {

  private static final byte[] NO_BYTES = {};
  private static final String NOT_UTF_8 = "text that is not UTF-8";

  public byte[] bytes = NO_BYTES;
  public int at;
  private int end;
  private byte[] copy = NO_BYTES;

  /** The argument of the head read last, as an unsigned number. */
  public long argument;

  /** Reads from the buffer's position to its limit and moves neither. */
  public void reset(ByteBuffer message) {
    int length = message.remaining();
    if (message.hasArray()) {
      bytes = message.array();
      at = message.arrayOffset() + message.position();
    } else {
      if (copy.length < length) {
        copy = new byte[Math.max(length, 2 * copy.length)];
      }
      message.get(message.position(), copy, 0, length);
      bytes = copy;
      at = 0;
    }
    end = at + length;
  }

  public int remaining() {
    return end - at;
  }

  int peek() {
    if (at >= end) {
      throw malformed("the message ends too early");
    }
    return bytes[at] & 0xff;
  }

  public boolean skipNull() {
    return skip(Cbor.NULL);
  }

  /** Skips {@code true} if it is next. */
  public boolean skipTrue() {
    return skip(Cbor.TRUE);
  }

  private boolean skip(int expected) {
    if (peek() != expected) {
      return false;
    }
    at++;
    return true;
  }

  /** Reads an initial byte and its argument, and returns the initial byte. */
  public int head() {
    int initial = peek();
    int info = initial & 31;
    at++;
    if (info < 24) {
      argument = info;
      return initial;
    }
    if (info > 27) {
      throw malformed(info == 31 ? "an indefinite length" : "a reserved initial byte");
    }
    int size = 1 << info - 24;
    if (end - at < size) {
      throw malformed("the message ends too early");
    }
    argument =
        switch (size) {
          case 1 -> bytes[at] & 0xff;
          case 2 -> (short) Cbor.SHORTS.get(bytes, at) & 0xffff;
          case 4 -> (int) Cbor.INTS.get(bytes, at) & 0xffff_ffffL;
          default -> (long) Cbor.LONGS.get(bytes, at);
        };
    at += size;
    return initial;
  }

  /** Reads a head that must have the given major type. */
  public void head(int major, String expected) {
    int initial = head();
    if ((initial & 0xe0) != major) {
      throw wrongType(expected, name(initial));
    }
  }

  /**
   * Reads the head of a byte or text string and returns its length; the message has that many bytes
   * left.
   */
  public int string(int major, String expected) {
    head(major, expected);
    return checkedLength();
  }

  /** The argument of the head just read, checked as a length in bytes. */
  public int checkedLength() {
    if (argument < 0 || argument > end - at) {
      throw malformed("a string that is longer than the message");
    }
    return (int) argument;
  }

  /** The argument of the head just read, checked as a count of items. */
  public int checkedCount(int bytesEach) {
    if (argument < 0 || argument > (end - at) / bytesEach) {
      throw malformed("more elements than the message has room for");
    }
    return (int) argument;
  }

  String text() {
    return textBytes(string(Cbor.TEXT, "text"));
  }

  /** The next bytes, as text. */
  public String textBytes(int length) {
    String text = Utf8.decode(bytes, at, length);
    if (text == null) {
      throw malformed(NOT_UTF_8);
    }
    at += length;
    return text;
  }

  /** Skips the next bytes, which must be text. */
  public void skipText(int length) {
    if (!Utf8.isValid(bytes, at, length)) {
      throw malformed(NOT_UTF_8);
    }
    at += length;
  }

  /** Skips the next bytes if they equal these. */
  public boolean skipBytes(int length, byte[] these) {
    if (length != these.length || !Arrays.equals(bytes, at, at + length, these, 0, length)) {
      return false;
    }
    at += length;
    return true;
  }

  void tag(int tag, String expected) {
    int initial = head();
    if ((initial & 0xe0) != Cbor.TAG || argument != tag) {
      throw wrongType(expected, name(initial));
    }
  }

  /** Skips one item of any type, however deep it is nested. */
  public void skip() {
    long left = 1;
    while (left > 0) {
      left--;
      int initial = head();
      switch (initial & 0xe0) {
        case Cbor.BYTES -> at += checkedLength();
        case Cbor.TEXT -> skipText(checkedLength());
        case Cbor.ARRAY -> left += checkedCount(1);
        case Cbor.MAP -> left += 2L * checkedCount(2);
        case Cbor.TAG -> left++;
        default -> {}
      }
    }
  }

  static DecodeFailure tooDeep() {
    return malformed("nested deeper than " + Cbor.MAX_DEPTH);
  }

  /** Describes the item whose head was just read. */
  public String name(int initial) {
    return switch (initial & 0xe0) {
      case Cbor.UNSIGNED, Cbor.NEGATIVE -> "an integer";
      case Cbor.BYTES -> "bytes";
      case Cbor.TEXT -> "text";
      case Cbor.ARRAY -> "a list";
      case Cbor.MAP -> "a map";
      case Cbor.TAG -> "tag " + Long.toUnsignedString(argument);
      default ->
          switch (initial) {
            case Cbor.FALSE, Cbor.TRUE -> "a boolean";
            case Cbor.NULL -> "null";
            case Cbor.FLOAT16, Cbor.FLOAT32, Cbor.FLOAT64 -> "a floating-point number";
            default -> "simple value " + argument;
          };
    };
  }

  /** Makes a name from a message safe for an error text: short and printable. */
  static String printable(@Nullable String name) {
    if (name == null) {
      return "?";
    }
    String cut = name.length() > 64 ? name.substring(0, 64) + "…" : name;
    return cut.replaceAll("[^\\x20-\\x7e…]", "?");
  }
}
