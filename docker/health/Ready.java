/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * Asks the service in the same container whether it is ready, for images without curl. Ends with
 * status 0 if it is, else with 1 and a line that says why.
 */
final class Ready {

  private Ready() {}

  static void main() throws IOException {
    String port = System.getenv().getOrDefault("SERVER_PORT", "8080");
    URI readiness = URI.create("http://127.0.0.1:" + port + "/actuator/health/readiness");
    HttpURLConnection request = (HttpURLConnection) readiness.toURL().openConnection();
    request.setConnectTimeout(2_000);
    request.setReadTimeout(2_000);
    int status = request.getResponseCode();
    if (status != 200) {
      System.err.println("not ready: " + readiness + " answers " + status);
      System.exit(1);
    }
  }
}
