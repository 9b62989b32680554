/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.Audit;
import io.forebay.operations.failures.FailureId;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What all of the admin API has in common, and jobs, over real HTTP. */
class AdminApiTest extends AdminServer {

  @Test
  void nothingIsDoneIfTheAuditCannotBeWritten() {
    failures.add(0, 7);
    auditAway = true;
    HttpResponse<String> response =
        send("POST", "/api/v1/services/greeting/pause", "OPERATOR", "{\"reason\":\"r\"}");
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("Retry-After")).isPresent();
    assertThat(send("POST", "/api/v1/failed/shop~0~7~q/replay", "OPERATOR", "{\"reason\":\"r\"}"))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(503);
    assertThat(get("/api/v1/services/greeting").get("desired").isNull()).isTrue();
    assertThat(failures.find(FailureId.of("shop~0~7~q")).orElseThrow().replay()).isNull();
  }

  @Test
  void aDocumentThatIsTooLargeIsNotRead() {
    String body = "{\"reason\":\"%s\"}".formatted("r".repeat(256 << 10));
    HttpResponse<String> refused =
        send("POST", "/api/v1/services/greeting/pause", "OPERATOR", body);
    assertThat(refused.statusCode()).isEqualTo(413);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(get("/api/v1/services/greeting").get("desired").isNull()).isTrue();
  }

  @Test
  void errorsAreProblemDocuments() {
    failures.add(0, 7);
    Stream.of(
            "GET|/api/v1/services/nobody||404",
            "POST|/api/v1/services/nobody/pause|{\"reason\":\"r\"}|404",
            "POST|/api/v1/services/greeting/pause||400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\" \"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"two\\nlines\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"08:00\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":30}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"0s\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"PT-1H\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"31d\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"2026-01-01T08:00:00Z\"}|400",
            "POST|/api/v1/services/greeting/pause|{\"reason\":\"r\",\"until\":\"+999999999-01-01T00:00:00Z\"}|400",
            "DELETE|/api/v1/services/greeting/pause||405",
            "GET|/api/v1/failed?limit=501||400",
            "GET|/api/v1/failed?limit=many||400",
            "GET|/api/v1/failed/other||400",
            "GET|/api/v1/failed/shop~0~8~q||404",
            "POST|/api/v1/failed/shop~0~8~q/replay|{\"reason\":\"r\"}|404",
            "POST|/api/v1/failed/shop~0~8~q/values||404",
            "POST|/api/v1/failed/shop~0~8~q/export||404",
            "POST|/api/v1/failed/shop~0~7~q/discard||400",
            "GET|/admin/api/v1/failures?state=gone||400",
            "POST|/admin/api/v1/failures/shop~0~8~q/values||404")
        .map(line -> line.split("\\|"))
        .forEach(parts ->
            isRefused(
                parts[0],
                parts[1],
                parts[2].isEmpty() ? null : parts[2],
                Integer.parseInt(parts[3])));
  }

  private void isRefused(String method, String path, @Nullable String body, int expected) {
    String what = method + " " + path + " " + body;
    HttpResponse<String> response = send(method, path, "ADMIN", body);
    assertThat(response.statusCode()).as(what + ": " + response.body()).isEqualTo(expected);
    assertThat(response.headers().firstValue("Content-Type"))
        .as(what)
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
    assertThat(json(response).get("status").asInt()).as(what).isEqualTo(expected);
    assertThat(audited).as(what).isEmpty();
  }

  @Test
  void commandsToJobsAreInTheAuditWithTheStateBefore() {
    String executions = "/api/v1/jobs/reprice/executions";
    assertThat(send("POST", executions, "OPERATOR", "{}").statusCode()).isEqualTo(202);
    for (String command : List.of("restart", "abandon", "stop")) {
      send("POST", "/api/v1/jobs/executions/7/" + command, "OPERATOR", null);
    }
    assertThat(audited)
        .extracting(it -> it.action() + ": " + it.change().text())
        .containsExactly(
            "job.start: latest execution: 7 FAILED → a new one",
            "job.restart: state: FAILED → restarted as another execution",
            "job.abandon: state: FAILED → ABANDONED",
            "job.stop: state: FAILED → STOPPING");
  }

  @Test
  void numbersForAJobAreTakenAsTheyAreWritten() {
    String parameters = "{\"rate\":1.10,\"id\":12345678901234567890,\"all\":true,\"of\":null}";
    String path = "/api/v1/jobs/reprice/executions";
    send("POST", path, "OPERATOR", "{\"parameters\":" + parameters + "}");
    assertThat(audited)
        .singleElement()
        .extracting(Audit.Entry::target)
        .asString()
        .contains("rate=1.10", "id=12345678901234567890", "all=true");
    assertThat(send("POST", path, "OPERATOR", "{\"parameters\":{\"ids\":[1]}}").body())
        .contains("/parameters/ids", "a number");
  }
}
