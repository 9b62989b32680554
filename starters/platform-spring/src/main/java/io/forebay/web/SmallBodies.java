/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.function.LongSupplier;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpStatus;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/**
 * Limits the documents that the controllers of Forebay read as a whole, also from known callers.
 * Statements and chunks have limits of their own.
 */
final class SmallBodies extends RequestBodyAdviceAdapter {

  private static final int LARGEST = 256 << 10;

  private final LongSupplier nanoClock;

  SmallBodies(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  @Override
  public boolean supports(
      MethodParameter parameter, Type type, Class<? extends HttpMessageConverter<?>> converter) {
    return true;
  }

  @Override
  public HttpInputMessage beforeBodyRead(
      HttpInputMessage message,
      MethodParameter parameter,
      Type type,
      Class<? extends HttpMessageConverter<?>> converter)
      throws IOException {
    InputStream in = new TimedInput(message.getBody(), LARGEST, nanoClock);
    byte[] body = in.readNBytes(LARGEST + 1);
    if (body.length > LARGEST) {
      throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE);
    }
    return new Read(body, message.getHeaders());
  }

  private record Read(byte[] body, HttpHeaders getHeaders) implements HttpInputMessage {

    @Override
    public InputStream getBody() {
      return new ByteArrayInputStream(body);
    }
  }
}
