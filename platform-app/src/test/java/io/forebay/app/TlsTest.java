/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ChildProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class TlsTest {

  private static final String WARNING = "without TLS";

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplicationBuilder(Forebay.class)
        .properties("forebay.backend=memory", "forebay.data=" + directory.resolve("data"))
        .run(arguments);
  }

  private Path makeAKey() {
    Path store = directory.resolve("door.p12");
    ChildProcess.run(
        ChildProcess.tool(
            "keytool",
            "-genkeypair",
            "-alias",
            "door",
            "-keyalg",
            "EC",
            "-dname",
            "CN=door",
            "-ext",
            "san=ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            "changeit"));
    return store;
  }

  private static SSLContext trusting(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(store)) {
      keys.load(in, "changeit".toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("door", keys.getCertificate("door"));
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  @Test
  void overTlsBrowsersGetStrictTransportSecurity(CapturedOutput output) throws Exception {
    Path store = makeAKey();
    try (ConfigurableApplicationContext service =
            start(
                "--server.port=0",
                "--server.ssl.bundle=door",
                "--spring.ssl.bundle.jks.door.keystore.location=file:" + store,
                "--spring.ssl.bundle.jks.door.keystore.password=changeit");
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(store)).build()) {
      String door =
          "https://127.0.0.1:" + service.getEnvironment().getProperty("local.server.port");
      assertThat(output).contains("Forebay is ready: " + door);
      for (String path : new String[] {"/actuator/health/liveness", "/nothing", "/a;b"}) {
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(URI.create(door + path)).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.headers().allValues("Strict-Transport-Security"))
            .as(path)
            .containsExactly("max-age=63072000");
      }
    }
  }

  @Test
  void aNetworkAddressWithoutTlsIsLoggedAsAWarning(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext service =
        start("--server.port=0", "--server.address=0.0.0.0")) {
      assertThat(output).contains("the HTTP door listens on 0.0.0.0 without TLS");
      assertThat(output).contains("Forebay is ready: http://localhost:");
    }
  }

  @Test
  void aLoopbackAddressNeedsNoTls(CapturedOutput output) {
    try (ConfigurableApplicationContext service = start("--server.port=0")) {
      assertThat(output).contains("Forebay is ready: http://127.0.0.1:").doesNotContain(WARNING);
    }
  }
}
