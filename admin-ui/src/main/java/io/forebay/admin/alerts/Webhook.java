/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.verdict.Alert.Severity;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends one signed request for each change of an alert, on a thread of its own, in the order of the
 * changes. A request that fails is repeated three times, after 1, 2 and 4 s; then the change is
 * logged and dropped. The header {@code Forebay-Signature} is {@code t=SECONDS,v1=HEX}: the time of
 * the attempt, and the HMAC-SHA-256 over that number, a dot and the body.
 */
final class Webhook implements Consumer<AlertChange>, AutoCloseable {

  static final String SIGNATURE = "Forebay-Signature";

  private static final Logger log = LoggerFactory.getLogger(Webhook.class);
  private static final String ALGORITHM = "HmacSHA256";
  private static final int ATTEMPTS = 4;
  private static final int MOST_WAITING = 1_000;
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration STOPS_WITHIN = Duration.ofSeconds(5);

  private final URI url;
  private final SecretKeySpec key;
  private final String instance;
  private final InstantSource clock;
  private final RetryTemplate retries;
  private final JsonMapper json = JsonMapper.builder().build();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(
              HttpClient.Version.HTTP_1_1) // over plain HTTP, an upgrade confuses some receivers
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final ThreadPoolExecutor sending =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(MOST_WAITING),
          Thread.ofPlatform().daemon().name("forebay-alert-webhook").factory(),
          (_, _) ->
              log.warn("Change of an alert not reported: {} others wait for it", MOST_WAITING));

  /**
   * @param pause before the first repetition; twice as long before each further one
   */
  Webhook(URI url, String secret, String instance, InstantSource clock, Duration pause) {
    this.url = url;
    key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    this.instance = instance;
    this.clock = clock;
    retries =
        new RetryTemplate(
            RetryPolicy.builder()
                .excludes(InterruptedException.class)
                .maxRetries(ATTEMPTS - 1)
                .delay(pause)
                .multiplier(2)
                .build());
  }

  @Override
  public void accept(AlertChange change) {
    sending.execute(() -> report(change));
  }

  private void report(AlertChange change) {
    try {
      retries.execute(() -> post(change));
    } catch (RetryException e) {
      log.warn(
          "Change {} of an alert not reported to {} (attempts={}): {}",
          change.id(),
          url.getHost(),
          e.getExceptions().size(),
          String.valueOf(e.getCause()));
    } catch (RuntimeException | Error e) {
      log.error("Change {} of an alert not reported", change.id(), e);
    }
  }

  private int post(AlertChange change) throws IOException, InterruptedException {
    byte[] body = json.writeValueAsBytes(body(change));
    long seconds = clock.instant().getEpochSecond();
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .timeout(ANSWER)
            .header("Content-Type", "application/json")
            .header("User-Agent", "forebay")
            .header(SIGNATURE, "t=%d,v1=%s".formatted(seconds, signature(seconds, body)))
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    HttpResponse<InputStream> answer = http.send(request, BodyHandlers.ofInputStream());
    answer.body().close(); // the time-out does not include the body, which may never end
    if (answer.statusCode() / 100 != 2) {
      throw new IOException("it answered " + answer.statusCode());
    }
    return answer.statusCode();
  }

  private Map<String, @Nullable Object> body(AlertChange change) {
    AlertRecord alert = change.alert();
    boolean isOver = change.event() == AlertChange.Event.CLOSED;
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("id", change.id());
    body.put("event", lower(change.event()));
    body.put("alert", alert.id());
    body.put("kind", lower(alert.problem().kind()));
    body.put("severity", lower(isOver ? Severity.FINE : alert.severity()));
    body.put("service", alert.problem().service());
    body.put("volume", alert.problem().volume());
    body.put("job", alert.problem().job());
    body.put("peak", alert.peak());
    body.put("opened", time(alert.opened()));
    body.put("closed", time(alert.closed()));
    body.put("instance", instance);
    return body;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static @Nullable String time(@Nullable Instant at) {
    return at == null ? null : at.truncatedTo(ChronoUnit.MILLIS).toString();
  }

  private String signature(long seconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((seconds + ".").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is not available", e);
    }
  }

  /** Waits up to 5 s for what has not been sent yet. */
  @Override
  public void close() throws InterruptedException {
    sending.shutdown();
    if (!sending.awaitTermination(STOPS_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
      int dropped = sending.shutdownNow().size();
      log.warn("{} changes of alerts not reported: the process stops", dropped + 1);
    }
  }
}
