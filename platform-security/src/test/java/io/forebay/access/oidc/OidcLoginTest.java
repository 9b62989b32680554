/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.forebay.access.oidc.OidcLogin.Pending;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.web.MockHttpServletRequest;

/** Logins with a provider that fails; OpenIdApiTest has those with a real one. */
@ExtendWith(OutputCaptureExtension.class)
class OidcLoginTest {

  private static final Pending PENDING = new Pending("a state", "a nonce", "a verifier", "a place");

  private volatile Instant now = Instant.now();
  private volatile int status = 200;
  private HttpServer provider;
  private OidcLogin login;

  @BeforeEach
  void startTheProvider() throws IOException {
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    String issuer = "http://127.0.0.1:" + provider.getAddress().getPort();
    String document =
        """
        {"issuer": "%1$s", "jwks_uri": "%1$s/keys", "authorization_endpoint": "%1$s/authorize",
         "token_endpoint": "%1$s/token", "subject_types_supported": ["public"]}\
        """
            .formatted(issuer);
    answer("/.well-known/openid-configuration", document);
    answer("/token", "<html>bad gateway</html>");
    provider.start();
    OidcProperties properties =
        new OidcProperties(
            issuer,
            "forebay",
            null,
            List.of("RS256"),
            Duration.ofSeconds(30),
            "sub",
            "groups",
            Map.of(),
            Map.of(),
            new OidcProperties.Login("page", "secret", List.of("openid")));
    Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
    login = new OidcLogin(properties, "/callback", new JwtCallers(properties, clock), clock);
  }

  private void answer(String path, String text) {
    provider.createContext(
        path,
        exchange -> {
          byte[] body = text.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @AfterEach
  void stopTheProvider() {
    provider.stop(0);
  }

  private static MockHttpServletRequest back(String... parameters) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    for (int i = 0; i < parameters.length; i += 2) {
      request.setParameter(parameters[i], parameters[i + 1]);
    }
    return request;
  }

  @Test
  void onlyTheBrowserThatBeganALoginCanFinishIt() {
    assertThat(login.pending(back("state", "a state"), PENDING.cookie())).contains(PENDING);
    assertThat(login.pending(back("state", "another"), PENDING.cookie())).isEmpty();
    assertThat(login.pending(back(), PENDING.cookie())).isEmpty();
    assertThat(login.pending(back("state", "a state"), null)).isEmpty();
    assertThat(login.pending(back("state", "a state"), "*")).isEmpty();
    assertThat(PENDING.toString()).doesNotContain("a state", "a nonce", "a verifier");
  }

  @Test
  void aProviderThatFailsWhileItChecksACodeIsAwayAndDoesNotRefuse() {
    assertThat(login.begin(back())).isPresent();
    status = 502;
    assertThat(login.finish(back("code", "x"), PENDING)).isInstanceOf(JwtCheck.Unchecked.class);
    status = 400;
    assertThat(login.finish(back("code", "x"), PENDING)).isInstanceOf(JwtCheck.Wrong.class);
  }

  @Test
  void theLogHasTheReasonOfTheProviderButNoLineOfSomebodyElse(CapturedOutput output) {
    login.finish(
        back("error", "access_denied", "error_description", "Alice is no member"), PENDING);
    assertThat(output).contains("was refused: [access_denied] Alice is no member");
    login.finish(back("error", "x\n2026-11-27 INFO all is well"), PENDING);
    assertThat(output).contains("was refused: [no error]").doesNotContain("all is well");
  }

  @Test
  void aClockThatIsSetBackDelaysNoLogin() {
    status = 503;
    assertThat(login.begin(back())).isEmpty();
    status = 200;
    assertThat(login.begin(back())).as("not asked again at once").isEmpty();
    now = now.minus(Duration.ofDays(1));
    assertThat(login.begin(back())).isPresent();
  }
}
