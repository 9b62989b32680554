/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** CBOR in the diagnostic notation of RFC 8949, section 8; floats with their encoding indicator. */
final class Diagnostic {

  private final ByteBuffer in;

  private Diagnostic(byte[] bytes) {
    in = ByteBuffer.wrap(bytes);
  }

  /** One item. */
  static String of(byte[] bytes) {
    Diagnostic diagnostic = new Diagnostic(bytes);
    String text = diagnostic.item();
    if (diagnostic.in.hasRemaining()) {
      throw new IllegalArgumentException("more than one item");
    }
    return text;
  }

  /** A message: each part of the envelope and each call on a line of its own. */
  static String ofMessage(byte[] bytes) {
    Diagnostic diagnostic = new Diagnostic(bytes);
    int items = (int) diagnostic.argument(diagnostic.in.get() & 31);
    String envelope = diagnostic.joined(4, diagnostic::item, ",\n ");
    String calls =
        diagnostic.joined(
            (items - 4) / 2, () -> ",\n " + diagnostic.item() + ", " + diagnostic.item(), "");
    return "[" + envelope + calls + "]";
  }

  private String item() {
    int initial = in.get() & 0xff;
    int info = initial & 31;
    return switch (initial >> 5) {
      case 0 -> Long.toUnsignedString(argument(info));
      case 1 -> Long.toString(~argument(info));
      case 2 -> "h'" + HexFormat.of().formatHex(bytes(info)) + "'";
      case 3 -> quoted(new String(bytes(info), StandardCharsets.UTF_8));
      case 4 -> "[" + joined((int) argument(info), this::item, ", ") + "]";
      case 5 -> "{" + joined((int) argument(info), () -> item() + ": " + item(), ", ") + "}";
      case 6 -> argument(info) + "(" + item() + ")";
      default ->
          switch (info) {
            case 20 -> "false";
            case 21 -> "true";
            case 22 -> "null";
            case 26 -> Float.intBitsToFloat((int) argument(info)) + "_2";
            case 27 -> Double.longBitsToDouble(argument(info)) + "_3";
            default -> throw new IllegalArgumentException("simple value " + info);
          };
    };
  }

  private String joined(int count, Supplier<String> item, String separator) {
    return Stream.generate(item).limit(count).collect(Collectors.joining(separator));
  }

  private long argument(int info) {
    return switch (info) {
      case 24 -> in.get() & 0xff;
      case 25 -> in.getShort() & 0xffff;
      case 26 -> in.getInt() & 0xffff_ffffL;
      case 27 -> in.getLong();
      default -> info;
    };
  }

  private byte[] bytes(int info) {
    byte[] bytes = new byte[(int) argument(info)];
    in.get(bytes);
    return bytes;
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
