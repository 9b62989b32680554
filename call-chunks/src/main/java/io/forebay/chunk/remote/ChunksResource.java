/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.problem.HttpProblem;
import io.forebay.problem.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.HandlerMapping;
import tools.jackson.databind.json.JsonMapper;

/**
 * Performs chunks received over HTTP; every failure is answered with a problem document.
 * Thread-safe.
 */
final class ChunksResource implements HttpRequestHandler {

  private static final Logger log = LoggerFactory.getLogger(ChunksResource.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Map<String, Limited<?>> services;
  private final ChunkGrants grants;
  private final ChunksProperties limits;

  private record Limited<A>(ListService<A, ?> service, Semaphore room) {}

  ChunksResource(List<ListService<?, ?>> services, ChunkGrants grants, ChunksProperties limits) {
    this.services =
        services.stream()
            .map(it -> new Limited<>(it, new Semaphore(limits.maxAtOnce())))
            .collect(Collectors.toUnmodifiableMap(it -> it.service().name(), Function.identity()));
    this.grants = grants;
    this.limits = limits;
  }

  @Override
  public void handleRequest(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    try {
      write(response, 200, "application/json", perform(request, response));
    } catch (HttpProblem problem) {
      write(request, response, problem);
    } catch (RuntimeException e) {
      log.error("{} {} failed", request.getMethod(), request.getRequestURI(), e);
      write(
          request,
          response,
          new HttpProblem(ProblemType.INTERNAL_ERROR, "The log of the server has the details"));
    }
  }

  private byte[] perform(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!request.getMethod().equals("POST")) {
      response.setHeader("Allow", "POST");
      throw new HttpProblem(ProblemType.METHOD_NOT_ALLOWED, "The allowed method is POST");
    }
    Limited<?> limited = find(request);
    if (!limited.room().tryAcquire()) {
      throw new HttpProblem(
              ProblemType.CHUNK_REFUSED,
              "The service already receives and performs %,d chunks, its limit; nothing was performed; retry later"
                  .formatted(limits.maxAtOnce()))
          .retryAfter(RETRY_AFTER);
    }
    try {
      return perform(limited.service(), body(request));
    } finally {
      limited.room().release();
    }
  }

  private Limited<?> find(HttpServletRequest request) {
    Principal caller = request.getUserPrincipal();
    if (caller == null) {
      throw new HttpProblem(ProblemType.UNAUTHENTICATED, "Send the request with credentials");
    }
    Object variables = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
    String name = String.valueOf(((Map<?, ?>) Objects.requireNonNull(variables)).get("name"));
    if (!grants.mayCall(caller, name)) {
      throw new HttpProblem(ProblemType.NOT_PERMITTED, "This caller is not granted this service");
    }
    Limited<?> limited = services.get(name);
    if (limited == null) {
      throw new HttpProblem(
          ProblemType.UNKNOWN_SERVICE, "This application has no service of that name");
    }
    return limited;
  }

  private <A> byte[] perform(ListService<A, ?> service, byte[] body) {
    try {
      List<A> arguments = service.codec().readArguments(body);
      if (arguments.size() > limits.maxCalls()) {
        throw tooLarge(
            "The chunk has %,d calls (limit=%,d)".formatted(arguments.size(), limits.maxCalls()));
      }
      return service.perform(arguments);
    } catch (ServiceFailed e) {
      throw failed(e);
    }
  }

  private byte[] body(HttpServletRequest request) throws IOException {
    String encoding = request.getHeader("Content-Encoding");
    if (!isJson(request.getContentType())
        || encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new HttpProblem(
          ProblemType.UNSUPPORTED_MEDIA_TYPE,
          "The body must be uncompressed UTF-8 with Content-Type application/json; nothing was performed");
    }
    int max = limits.maxBodyBytes();
    byte[] body = request.getContentLengthLong() > max ? null : read(request, max + 1);
    if (body == null || body.length > max) {
      throw tooLarge("The body is too large (limit=%,d bytes)".formatted(max));
    }
    return body;
  }

  private static byte[] read(HttpServletRequest request, int most) throws IOException {
    try {
      return request.getInputStream().readNBytes(most);
    } catch (IOException e) {
      HttpProblem late = HttpProblem.ofLateBody(e);
      if (late == null) {
        throw e;
      }
      throw late;
    }
  }

  private static HttpProblem tooLarge(String detail) {
    return new HttpProblem(
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

  private static HttpProblem failed(ServiceFailed failed) {
    int status =
        switch (failed.code()) {
          case ServiceFailed.INVALID_ARGUMENTS -> 400;
          case ServiceFailed.INTERNAL_ERROR -> 500;
          default -> 422;
        };
    return new HttpProblem(ProblemType.SERVICE_FAILED, status, failed.text())
        .with("code", failed.code());
  }

  private static void write(
      HttpServletRequest request, HttpServletResponse response, HttpProblem problem)
      throws IOException {
    if (problem.retryAfterSeconds() > 0) {
      response.setHeader("Retry-After", Long.toString(problem.retryAfterSeconds()));
    }
    write(
        response,
        problem.status(),
        "application/problem+json",
        JSON.writeValueAsBytes(problem.document(request.getRequestURI())));
  }

  private static void write(
      HttpServletResponse response, int status, String contentType, byte[] body)
      throws IOException {
    response.setStatus(status);
    response.setContentType(contentType);
    response.setHeader("Cache-Control", "no-store");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}
