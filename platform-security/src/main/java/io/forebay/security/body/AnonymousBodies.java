/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security.body;

import io.forebay.access.TooManyLogins;
import io.forebay.problem.HttpProblem;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads bodies of clients that nobody has identified: each within 5 s in all, without a thread that
 * waits for it, and not more at the same time than the heap has room for. Thread-safe.
 */
public final class AnonymousBodies {

  /** The attribute of a request whose body has arrived, as an array of bytes. */
  public static final String ARRIVED = AnonymousBodies.class.getName();

  private static final Duration LONGEST = Duration.ofSeconds(5);

  /** A connection whose body is being read takes about 140 KB. */
  private static final int HEAP_FOR_EACH = 1 << 20;

  private final Semaphore places;

  public AnonymousBodies() {
    this((int) Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_FOR_EACH, 32, 8_192));
  }

  AnonymousBodies(int places) {
    this.places = new Semaphore(places);
  }

  /**
   * Returns the body if it has arrived. If it has not, the request becomes asynchronous, and is
   * dispatched again when the body is complete: the caller must return without an answer.
   *
   * @throws Invalid if it is not a JSON object or is too large
   * @throws TooManyLogins if too many bodies are being read
   * @throws HttpProblem if it did not arrive in time
   */
  public Optional<JsonNode> read(HttpServletRequest request) throws IOException {
    switch (request.getAttribute(ARRIVED)) {
      case byte[] body -> {
        return Optional.of(SmallBody.parse(body));
      }
      case HttpProblem late -> throw late;
      case null, default -> {
        begin(request);
        return Optional.empty();
      }
    }
  }

  private void begin(HttpServletRequest request) throws IOException {
    // Without a length, the server would parse as many bytes between two chunks as arrive.
    if (request.getContentLengthLong() < 0 || request.getContentLengthLong() > SmallBody.BYTES) {
      throw SmallBody.invalid();
    }
    if (!places.tryAcquire()) {
      throw new TooManyLogins(LONGEST, "Too many logins at the same time");
    }
    Place place = new Place();
    try {
      AsyncContext async = request.startAsync();
      async.setTimeout(LONGEST.toMillis());
      byte[] bytes = new byte[request.getContentLength()];
      Reader reader = new Reader(place, async, request.getInputStream(), bytes);
      async.addListener(reader);
      reader.in.setReadListener(reader);
    } catch (IOException | RuntimeException e) {
      place.free();
      throw e;
    }
  }

  /** A place that is taken, and is free once, however often it is said. */
  private final class Place {

    private final AtomicBoolean taken = new AtomicBoolean(true);

    void free() {
      if (taken.compareAndSet(true, false)) {
        places.release();
      }
    }
  }

  private static final class Reader implements ReadListener, AsyncListener {

    private final Place place;
    private final AsyncContext async;
    private final ServletInputStream in;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final byte[] bytes;
    private int length;

    Reader(Place place, AsyncContext async, ServletInputStream in, byte[] bytes) {
      this.place = place;
      this.async = async;
      this.in = in;
      this.bytes = bytes;
    }

    @Override
    public void onDataAvailable() throws IOException {
      while (length < bytes.length && in.isReady()) {
        length += Math.max(0, in.read(bytes, length, bytes.length - length));
      }
      if (length == bytes.length) {
        end(bytes);
      }
    }

    @Override
    public void onAllDataRead() {
      end(bytes);
    }

    @Override
    public void onTimeout(AsyncEvent event) {
      end(HttpProblem.of(408));
    }

    private void end(Object outcome) {
      if (ended.compareAndSet(false, true)) {
        async.getRequest().setAttribute(ARRIVED, outcome);
        async.dispatch();
      }
    }

    @Override
    public void onComplete(AsyncEvent event) {
      place.free();
    }

    @Override
    public void onError(@Nullable Throwable failure) {
      // the other method is called too
    }

    /** The client is gone: nobody reads an answer. */
    @Override
    public void onError(AsyncEvent event) {
      if (ended.compareAndSet(false, true)) {
        async.complete();
      }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
      // begun by the one who reads the body
    }
  }
}
