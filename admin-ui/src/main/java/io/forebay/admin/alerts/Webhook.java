/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.capacity.Alert.Severity;
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
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends changes of alerts as signed requests. The header {@code Forebay-Signature} is {@code
 * t=SECONDS,v1=HEX}: the time of the attempt, and the HMAC-SHA-256 over that number, a dot and the
 * body.
 */
final class Webhook {

  static final String SIGNATURE = "Forebay-Signature";

  private static final String ALGORITHM = "HmacSHA256";
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private final URI url;
  private final SecretKeySpec key;
  private final String instance;
  private final InstantSource clock;
  private final JsonMapper json = JsonMapper.builder().build();
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(
              HttpClient.Version.HTTP_1_1) // over plain HTTP, an upgrade confuses some receivers
          .connectTimeout(CONNECT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  Webhook(URI url, String secret, String instance, InstantSource clock) {
    this.url = url;
    key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    this.instance = instance;
    this.clock = clock;
  }

  /**
   * Returns the status that the receiver answers, within 15 s.
   *
   * @throws IOException if it does not answer
   */
  int send(Notice notice) throws IOException, InterruptedException {
    byte[] body = json.writeValueAsBytes(body(notice));
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
    return answer.statusCode();
  }

  private Map<String, @Nullable Object> body(Notice notice) {
    AlertRecord alert = notice.alert();
    boolean isOver = notice.event() == Notice.Event.CLOSED;
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("id", notice.id());
    body.put("event", lower(notice.event()));
    body.put("alert", alert.id());
    body.put("kind", lower(alert.kind()));
    body.put("severity", lower(isOver ? Severity.FINE : alert.severity()));
    body.put("service", alert.service());
    body.put("volume", alert.volume());
    body.put("job", alert.job());
    body.put("text", alert.text());
    body.put("peak", alert.peak() == null ? null : alert.kind().text(alert.peak()));
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

  /** The host to which requests are sent. */
  String host() {
    return url.getHost();
  }
}
