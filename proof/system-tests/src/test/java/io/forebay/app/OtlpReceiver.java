/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/**
 * Receives spans as a collector does: OTLP over HTTP, in the binary encoding of protocol buffers.
 * It reads the fields that are named here, by their numbers in {@code trace.proto}.
 */
final class OtlpReceiver implements AutoCloseable {

  /** A span; a context is the id of a trace, a slash and the id of a span. */
  record Span(String context, String parent, String name, List<String> links) {

    String trace() {
      return context.substring(0, 32);
    }
  }

  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  private final HttpServer server;
  private final List<Span> spans = new CopyOnWriteArrayList<>();

  OtlpReceiver() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/traces", this::receive);
    server.start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  /** The spans received so far with this name. */
  List<Span> named(String name) {
    return spans.stream().filter(span -> span.name().equals(name)).toList();
  }

  List<Span> all() {
    return List.copyOf(spans);
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] request = exchange.getRequestBody().readAllBytes();
      List<Span> read = new ArrayList<>();
      fields(
          ByteBuffer.wrap(request),
          (field, resource) -> {
            if (field == 1) {
              resource(resource, read);
            }
          });
      spans.addAll(read);
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private static void resource(ByteBuffer resourceSpans, List<Span> read) {
    fields(
        resourceSpans,
        (field, scope) -> {
          if (field == 2) {
            fields(
                scope,
                (inner, span) -> {
                  if (inner == 2) {
                    read.add(span(span));
                  }
                });
          }
        });
  }

  private static Span span(ByteBuffer bytes) {
    String[] parts = {"", "", "", ""};
    List<String> links = new ArrayList<>();
    fields(
        bytes,
        (field, value) -> {
          switch (field) {
            case 1 -> parts[0] = hex(value);
            case 2 -> parts[1] = hex(value);
            case 4 -> parts[2] = hex(value);
            case 5 -> parts[3] = StandardCharsets.UTF_8.decode(value).toString();
            case 13 -> links.add(link(value));
            default -> {}
          }
        });
    return new Span(parts[0] + "/" + parts[1], parts[2], parts[3], links);
  }

  private static String link(ByteBuffer bytes) {
    String[] parts = {"", ""};
    fields(
        bytes,
        (field, value) -> {
          if (field <= 2) {
            parts[field - 1] = hex(value);
          }
        });
    return parts[0] + "/" + parts[1];
  }

  private static String hex(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Passes the fields that have a length. */
  private static void fields(ByteBuffer message, BiConsumer<Integer, ByteBuffer> each) {
    while (message.hasRemaining()) {
      long key = varint(message);
      switch ((int) (key & 7)) {
        case VARINT -> varint(message);
        case FIXED_64 -> message.position(message.position() + 8);
        case FIXED_32 -> message.position(message.position() + 4);
        case BYTES -> {
          int length = (int) varint(message);
          each.accept((int) (key >>> 3), message.slice(message.position(), length));
          message.position(message.position() + length);
        }
        default -> throw new IllegalStateException("an unknown type of a field: " + key);
      }
    }
  }

  private static long varint(ByteBuffer message) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = message.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
