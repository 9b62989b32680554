/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import io.forebay.machine.Machine;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import io.forebay.web.TimedInput;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/** The body of a request, held in memory until it is closed. For one thread. */
public final class Body implements AutoCloseable {

  public static final byte[] EMPTY_OBJECT = {'{', '}'};

  private final ByteBudget budget;
  private byte[] bytes = EMPTY_OBJECT;
  private ByteBudget.@Nullable Share share;

  private Body(ByteBudget budget) {
    this.budget = budget;
  }

  /**
   * Reads a JSON text; an empty object if there is no body.
   *
   * @throws Problem if the body is not JSON, is larger than {@code max}, or exceeds the budget
   * @throws SocketTimeoutException if it does not arrive in time
   */
  public static Body read(HttpServletRequest request, int max, ByteBudget budget)
      throws IOException {
    return read(request, max, budget, Machine::nanos);
  }

  static Body read(HttpServletRequest request, int max, ByteBudget budget, LongSupplier nanoClock)
      throws IOException {
    long announced = request.getContentLengthLong();
    if (announced > max) {
      throw tooLarge(max);
    }
    boolean json = isJson(contentType(request));
    if (announced > 0 && !json) {
      throw notJson();
    }
    String encoding = request.getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Problem(ProblemType.UNSUPPORTED_MEDIA_TYPE, "The body must not be compressed");
    }
    Body body = new Body(budget);
    try {
      InputStream in = new TimedInput(request.getInputStream(), announced, nanoClock);
      byte[] bytes = body.bytes(in, announced, max);
      if (bytes.length > max) {
        throw tooLarge(max);
      }
      if (bytes.length > 0 && !json) {
        throw notJson();
      }
      if (bytes.length > 0 && !Utf8Body.is(bytes)) {
        throw new Problem(
            ProblemType.MALFORMED_JSON, "The body is not UTF-8; nothing was accepted");
      }
      body.bytes = bytes.length == 0 ? EMPTY_OBJECT : bytes;
      return body;
    } catch (Throwable e) {
      body.release();
      throw e;
    }
  }

  /** Counts a body that is larger than the free part, before there is an array for it. */
  private byte[] bytes(InputStream in, long announced, int max) throws IOException {
    int most = announced >= 0 ? (int) announced : max + 1;
    int free = ByteBudget.FREE;
    byte[] first = in.readNBytes(Math.min(most, free));
    if (first.length < free || most == free) {
      return first;
    }
    share =
        budget.demand(
            Math.min(most, max),
            "Bodies of %s take the memory there is for them; nothing was accepted");
    byte[] all = Arrays.copyOf(first, most);
    int length = free + in.readNBytes(all, free, most - free);
    return length == most ? all : Arrays.copyOf(all, length);
  }

  /** Its JSON text; an empty object once it is closed. */
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public void close() {
    release();
  }

  /** Gives the memory back before it is closed; may be called again. */
  public void release() {
    bytes = EMPTY_OBJECT;
    if (share != null) {
      share.close();
      share = null;
    }
  }

  /** Returns null unless there is exactly one. */
  private static @Nullable String contentType(HttpServletRequest request) {
    Enumeration<String> types = request.getHeaders("Content-Type");
    String type = types.hasMoreElements() ? types.nextElement() : null;
    return types.hasMoreElements() ? null : type;
  }

  private static Problem tooLarge(int max) {
    return new Problem(ProblemType.TOO_LARGE, "The body exceeds the limit; nothing was accepted")
        .with("limitBytes", max);
  }

  private static Problem notJson() {
    return new Problem(
        ProblemType.UNSUPPORTED_MEDIA_TYPE, "The Content-Type must be application/json, in UTF-8");
  }

  private static boolean isJson(@Nullable String contentType) {
    if (contentType == null) {
      return false;
    }
    if (contentType.equals("application/json")) {
      return true;
    }
    try {
      MediaType type = MediaType.parseMediaType(contentType);
      return type.isCompatibleWith(MediaType.APPLICATION_JSON)
          && type.isConcrete()
          && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
    } catch (InvalidMediaTypeException _) {
      return false;
    }
  }
}
