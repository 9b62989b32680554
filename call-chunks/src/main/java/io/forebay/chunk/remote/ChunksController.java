/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.machine.Machine;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import io.forebay.web.TimedInput;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.CacheControl;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** Performs chunks received over HTTP. Thread-safe. */
@ForebayController
final class ChunksController {

  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /** By default, callers collect up to 512 KB of arguments. */
  private static final int MAX_BODY = 640 << 10;

  private static final int MAX_CALLS = 10_000;

  /** How many chunks one service receives and performs at the same time. */
  private static final int MAX_AT_ONCE = 32;

  private final Map<String, Limited<?>> services;
  private final ChunkGrants grants;

  private record Limited<A>(ListService<A, ?> service, Semaphore room) {}

  ChunksController(ObjectProvider<ListService<?, ?>> services, ChunkGrants grants) {
    this.services =
        services.stream()
            .map(it -> new Limited<>(it, new Semaphore(MAX_AT_ONCE)))
            .collect(Collectors.toUnmodifiableMap(it -> it.service().name(), Function.identity()));
    this.grants = grants;
  }

  @PostMapping("/api/v1/chunks/{name}")
  ResponseEntity<byte[]> perform(
      @PathVariable String name, @Nullable Principal caller, HttpServletRequest request)
      throws IOException {
    Limited<?> limited = find(name, caller);
    if (!limited.room().tryAcquire()) {
      throw new Problem(
              ProblemType.CHUNK_REFUSED,
              "The service already receives and performs %,d chunks, its limit; nothing was performed; retry later"
                  .formatted(MAX_AT_ONCE))
          .retryAfter(RETRY_AFTER);
    }
    try {
      return ResponseEntity.ok()
          .contentType(MediaType.APPLICATION_JSON)
          .cacheControl(CacheControl.noStore())
          .body(perform(limited.service(), body(request, MAX_BODY, Machine::nanos)));
    } finally {
      limited.room().release();
    }
  }

  private Limited<?> find(String name, @Nullable Principal caller) {
    if (caller == null) {
      throw Problem.of(401);
    }
    if (!grants.mayCall(caller, name)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This caller is not granted this service");
    }
    Limited<?> limited = services.get(name);
    if (limited == null) {
      throw new Problem(
          ProblemType.UNKNOWN_SERVICE, "This application has no service of that name");
    }
    return limited;
  }

  private <A> byte[] perform(ListService<A, ?> service, byte[] body) {
    try {
      List<A> arguments = service.codec().readArguments(body);
      if (arguments.size() > MAX_CALLS) {
        throw tooLarge(
            "The chunk has %,d calls (limit=%,d)".formatted(arguments.size(), MAX_CALLS));
      }
      return service.perform(arguments);
    } catch (ServiceFailed e) {
      throw failed(e);
    }
  }

  static byte[] body(HttpServletRequest request, int max, LongSupplier nanoClock)
      throws IOException {
    String encoding = request.getHeader("Content-Encoding");
    if (!isJson(request.getContentType())
        || encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Problem(
          ProblemType.UNSUPPORTED_MEDIA_TYPE,
          "The body must be uncompressed UTF-8 with Content-Type application/json; nothing was performed");
    }
    long announced = request.getContentLengthLong();
    byte[] body =
        announced > max
            ? null
            : new TimedInput(request.getInputStream(), announced, nanoClock).readNBytes(max + 1);
    if (body == null || body.length > max) {
      throw tooLarge("The body is too large (limit=%,d bytes)".formatted(max));
    }
    return body;
  }

  private static Problem tooLarge(String detail) {
    return new Problem(
        ProblemType.TOO_LARGE, detail + "; nothing was performed; call with smaller chunks");
  }

  private static boolean isJson(@Nullable String contentType) {
    try {
      if (contentType == null) {
        return false;
      }
      MediaType type = MediaType.parseMediaType(contentType);
      return type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON)
          && (type.getCharset() == null || type.getCharset().equals(StandardCharsets.UTF_8));
    } catch (InvalidMediaTypeException _) {
      return false;
    }
  }

  private static Problem failed(ServiceFailed failed) {
    int status =
        switch (failed.code()) {
          case ServiceFailed.INVALID_ARGUMENTS -> 400;
          case ServiceFailed.INTERNAL_ERROR -> 500;
          default -> 422;
        };
    return new Problem(ProblemType.SERVICE_FAILED, status, failed.text())
        .with("code", failed.code());
  }
}
