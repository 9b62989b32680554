/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.messages;

import io.forebay.admin.EventStreams;
import io.forebay.admin.Parameters;
import io.forebay.operations.messages.Messages;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/**
 * The newest messages of a queue as a stream of events, one per second. Each round looks at a
 * limited number of messages, and a few tails may be open at a time. It stops before the server, so
 * that a graceful stop need not wait for its streams.
 */
@RestController
final class TailController implements SmartLifecycle {

  private static final int MOST = 6;
  private static final int MOST_OF_USER = 2;

  /** Whoever leaves the screen and returns has another stream; the first one ends meanwhile. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Messages messages;
  private final EventStreams streams = new EventStreams(MOST, MOST_OF_USER, PATIENCE);
  private final CountDownLatch stopped = new CountDownLatch(1);
  private volatile boolean running;

  TailController(Messages messages) {
    this.messages = messages;
  }

  @GetMapping("/admin/api/v1/queues/{queue}/tail")
  void tail(
      @PathVariable String queue,
      @RequestParam(required = false) @Nullable Integer partition,
      @RequestParam(required = false) @Nullable String after,
      @RequestParam(required = false) @Nullable UUID id,
      @RequestParam(required = false) @Nullable String key,
      @RequestParam(required = false) @Nullable String statement,
      @RequestParam(defaultValue = "50") int limit,
      HttpServletRequest request,
      HttpServletResponse response)
      throws InterruptedException {
    Messages.Search search =
        new Messages.Search(
            queue,
            partition,
            null,
            null,
            Parameters.text("after", after),
            id,
            Parameters.text("key", key),
            Parameters.text("statement", statement),
            limit);
    streams.serve(
        request,
        response,
        stream -> {
          try (Messages.Tail tail =
              messages.tail(search).orElseThrow(MessagesController::unknownQueue)) {
            stream.begin();
            follow(tail, stream);
          }
        });
  }

  private void follow(Messages.Tail tail, EventStreams.Stream stream)
      throws IOException, InterruptedException {
    do {
      try {
        Optional<Messages.News> news = tail.next();
        if (news.isPresent()) {
          stream.event("news", "", JSON.writeValueAsBytes(news.get()));
        }
      } catch (QueueUnavailable | QueueFailed e) {
        stream.event(
            "problem",
            "",
            JSON.writeValueAsBytes(Map.of("detail", String.valueOf(e.getMessage()))));
        stream.flush();
        return;
      }
      stream.flush();
    } while (!stopped.await(1, TimeUnit.SECONDS) && stream.mayContinue());
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    stopped.countDown();
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
