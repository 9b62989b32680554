/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import static io.forebay.app.security.EveryEndpointTest.Access.ADMIN;
import static io.forebay.app.security.EveryEndpointTest.Access.CALLER;
import static io.forebay.app.security.EveryEndpointTest.Access.NOBODY;
import static io.forebay.app.security.EveryEndpointTest.Access.OPEN;
import static io.forebay.app.security.EveryEndpointTest.Access.OPERATOR;
import static io.forebay.app.security.EveryEndpointTest.Access.VIEWER;
import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.access.Role;
import io.forebay.access.TokenText;
import io.forebay.access.Tokens;
import io.forebay.admin.AdminAccess;
import io.forebay.security.CallerSecurity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.DefaultMockMvcBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Calls every endpoint with every role, over HTTP. The list of endpoints comes from the server's
 * dispatcher, so an endpoint without a rule in {@link #RULES} fails this test.
 */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = "forebay.backend=memory")
@Import(NoLoginDelay.class)
@DirtiesContext
class EveryEndpointTest {

  /** The lowest role required; higher roles are allowed too. */
  enum Access {
    OPEN,
    CALLER,
    VIEWER,
    OPERATOR,
    ADMIN,
    NOBODY;

    boolean admits(@Nullable Role role) {
      return switch (this) {
        case OPEN -> true;
        case CALLER -> role != null;
        case VIEWER, OPERATOR, ADMIN -> role != null && role.compareTo(Role.valueOf(name())) >= 0;
        case NOBODY -> false;
      };
    }
  }

  private static final Pattern CHOICE = Pattern.compile("\\{\\w+:([\\w|-]+)}");

  /** By the pattern of the mapping and the method; nobody may use other methods. */
  private static final Map<String, Map<String, Access>> RULES = new TreeMap<>();

  static {
    RULES.put("/api/v1/statements", Map.of("GET", CALLER, "POST", CALLER));
    RULES.put("/api/v1/statements/{name}", Map.of("POST", CALLER));
    RULES.put("/api/v1/chunks/{name}", Map.of("POST", CALLER));
    RULES.put("/api/v1/results/{id}", Map.of("GET", CALLER));
    RULES.put("/api/v1/results", Map.of("GET", CALLER));
    RULES.put("/api/v1/streams/{name}", Map.of("GET", CALLER));
    RULES.put("/api/v1/openapi.json", Map.of("GET", CALLER));
    RULES.put("/api/v1/catalogue/reload", Map.of("POST", ADMIN));
    RULES.put("/api/v1/tokens", Map.of("GET", ADMIN, "POST", ADMIN));
    RULES.put("/api/v1/tokens/{name}", Map.of("DELETE", ADMIN));
    for (String audit : List.of("/api/v1/audit", "/admin/api/v1/audit")) {
      RULES.put(audit, Map.of("GET", OPERATOR));
    }
    RULES.put("/api/v1/status", Map.of("GET", VIEWER));
    RULES.put("/api/v1/services/{name}", Map.of("GET", VIEWER));
    RULES.put("/api/v1/services/{name}/pause", Map.of("POST", OPERATOR));
    RULES.put("/api/v1/services/{name}/resume", Map.of("POST", OPERATOR));
    RULES.put(
        "/api/v1/services/{name}/partitions/{partition}/fail-message", Map.of("POST", OPERATOR));
    RULES.put("/api/v1/services/{name}/drain", Map.of("POST", ADMIN));
    RULES.put("/api/v1/services/{name}/partitions/{partition}/set-aside", Map.of("POST", ADMIN));
    RULES.put("/api/v1/failed", Map.of("GET", VIEWER));
    RULES.put("/api/v1/failed/{id}", Map.of("GET", VIEWER));
    for (String command : List.of("replay", "values", "export", "set-aside", "reopen")) {
      RULES.put("/api/v1/failed/{id}/" + command, Map.of("POST", OPERATOR));
    }
    RULES.put("/api/v1/failed/{id}/discard", Map.of("POST", ADMIN));
    for (String jobs : List.of("/api/v1/jobs", "/admin/api/v1/jobs")) {
      RULES.put(jobs, Map.of("GET", VIEWER));
      RULES.put(jobs + "/{name}", Map.of("GET", VIEWER));
      RULES.put(jobs + "/{name}/executions", Map.of("GET", VIEWER, "POST", OPERATOR));
      RULES.put(jobs + "/executions/{id}", Map.of("GET", VIEWER));
      for (String command : List.of("stop", "restart", "recover", "abandon")) {
        RULES.put(jobs + "/executions/{id}/" + command, Map.of("POST", OPERATOR));
      }
    }
    RULES.put("/admin/api/v1/callers", Map.of("GET", OPERATOR));
    for (String callers : List.of("/api/v1/callers/", "/admin/api/v1/callers/")) {
      RULES.put(callers + "limit", Map.of("POST", OPERATOR));
      RULES.put(callers + "lift", Map.of("POST", OPERATOR));
    }
    RULES.put("/admin/api/v1/queues", Map.of("GET", OPERATOR));
    RULES.put("/admin/api/v1/queues/{queue}/messages", Map.of("GET", OPERATOR));
    String message = "/admin/api/v1/queues/{queue}/messages/{partition}/{position}";
    RULES.put(message, Map.of("GET", OPERATOR));
    RULES.put(message + "/values", Map.of("POST", ADMIN));
    RULES.put("/admin/api/v1/snapshot", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/stream", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/services/{name}", Map.of("GET", VIEWER));
    for (String part : List.of("series", "latency", "burst")) {
      RULES.put("/admin/api/v1/services/{name}/" + part, Map.of("GET", VIEWER));
    }
    for (String view : List.of("storage", "storage/series")) {
      RULES.put("/admin/api/v1/" + view, Map.of("GET", VIEWER));
    }
    RULES.put("/admin/api/v1/alerts", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/services/{name}/pause", Map.of("POST", OPERATOR));
    RULES.put("/admin/api/v1/services/{name}/resume", Map.of("POST", OPERATOR));
    RULES.put(
        "/admin/api/v1/services/{name}/partitions/{partition}/fail-message",
        Map.of("POST", OPERATOR));
    RULES.put("/admin/api/v1/services/{name}/drain", Map.of("POST", ADMIN));
    RULES.put(
        "/admin/api/v1/services/{name}/partitions/{partition}/set-aside", Map.of("POST", ADMIN));
    RULES.put("/admin/api/v1/failures", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/failures/list", Map.of("GET", VIEWER));
    for (String command : List.of("replay", "values", "export", "set-aside", "reopen")) {
      RULES.put("/admin/api/v1/failures/{id}/" + command, Map.of("POST", OPERATOR));
    }
    RULES.put("/admin/api/v1/failures/{id}/discard", Map.of("POST", ADMIN));
    RULES.put("/admin/api/v1/failures/count", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/failures/group/set-aside", Map.of("POST", OPERATOR));
    RULES.put("/admin/api/v1/failures/group/reopen", Map.of("POST", OPERATOR));
    RULES.put("/admin/api/v1/failures/group/discard", Map.of("POST", ADMIN));
    RULES.put("/admin/api/v1/failures/replays", Map.of("GET", VIEWER, "POST", OPERATOR));
    RULES.put("/admin/api/v1/failures/replays/{id}", Map.of("GET", VIEWER));
    RULES.put("/admin/api/v1/failures/replays/{id}/stop", Map.of("POST", OPERATOR));
    RULES.put("/admin", Map.of("GET", OPEN));
    RULES.put("/admin/", Map.of("GET", OPEN));
    each(AdminAccess.SCREENS).forEach(screen -> RULES.put(screen, Map.of("GET", OPEN)));
    RULES.put("/admin/v/**", Map.of("GET", OPEN));
    RULES.put("/admin/api/v1/oidc", Map.of("GET", OPEN));
    RULES.put("/admin/api/v1/me", Map.of("GET", CALLER));
    RULES.put("/admin/api/v1/logout", Map.of("POST", CALLER));
    RULES.put("/admin/api/v1/password", Map.of("POST", CALLER));
    RULES.put("/admin/api/v1/tokens", Map.of("GET", ADMIN, "POST", ADMIN));
    RULES.put("/admin/api/v1/tokens/{name}", Map.of("DELETE", ADMIN));
    RULES.put("/admin/api/v1/users", Map.of("GET", ADMIN, "POST", ADMIN));
    RULES.put("/admin/api/v1/users/{name}", Map.of("DELETE", ADMIN));
    RULES.put("/actuator/health", Map.of("GET", VIEWER));
    RULES.put("/actuator/info", Map.of("GET", VIEWER));
    RULES.put("/actuator/prometheus", Map.of("GET", VIEWER));
    RULES.put("/actuator/sbom", Map.of("GET", VIEWER));
    RULES.put("/actuator/sbom/{id}", Map.of("GET", VIEWER));
    // Boot maps every part and group of the health here; two of them are open.
    RULES.put("/actuator/health/**", Map.of());
    // Static files and the error page: no request may access them directly.
    RULES.put("/error", Map.of());
    RULES.put("/**", Map.of());
    RULES.put("/webjars/**", Map.of());
  }

  private static final Map<String, Access> OPEN_PATHS =
      Map.of("/", OPEN, "/actuator/health/liveness", OPEN, "/actuator/health/readiness", OPEN);

  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  @TempDir static Path data;

  @Autowired ApplicationContext context;
  @Autowired Tokens tokens;
  @LocalServerPort int port;

  private Door door;
  private static final Map<Role, String> TOKENS = new HashMap<>();

  @DynamicPropertySource
  static void dataDirectory(DynamicPropertyRegistry registry) {
    registry.add("forebay.data", () -> data.resolve("forebay").toString());
  }

  @BeforeEach
  void makeATokenOfEachRole() {
    door = new Door(port);
    for (Role role : Role.values()) {
      TOKENS.computeIfAbsent(role, it -> Door.token(tokens, "a-" + it.text(), it, "*"));
    }
  }

  /** Each pattern that is mapped, with the methods it is mapped for; none means unknown. */
  private Map<String, Set<String>> endpoints() {
    Map<String, Set<String>> endpoints = new TreeMap<>();
    for (HandlerMapping mapping : context.getBeansOfType(HandlerMapping.class).values()) {
      switch (mapping) {
        case RequestMappingInfoHandlerMapping methods ->
            methods.getHandlerMethods().keySet().forEach(info -> add(endpoints, info));
        case AbstractUrlHandlerMapping urls ->
            urls.getHandlerMap()
                .keySet()
                .forEach(pattern -> endpoints.putIfAbsent(pattern, new TreeSet<>()));
        case RouterFunctionMapping routes -> assertThat(routes.getRouterFunction()).isNull();
        default ->
            throw new AssertionError("a kind of mapping this test does not know: " + mapping);
      }
    }
    return endpoints;
  }

  private static void add(Map<String, Set<String>> endpoints, RequestMappingInfo info) {
    for (String pattern :
        info.getPatternValues().stream().flatMap(EveryEndpointTest::each).toList()) {
      Set<String> methods = endpoints.computeIfAbsent(pattern, _ -> new TreeSet<>());
      info.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
    }
  }

  /** One pattern for each of the words that a variable allows, as in {@code {command:run|stop}}. */
  private static Stream<String> each(String pattern) {
    Matcher choice = CHOICE.matcher(pattern);
    return choice.find()
        ? Stream.of(choice.group(1).split("\\|")).map(choice::replaceFirst)
        : Stream.of(pattern);
  }

  @Test
  void everyEndpointHasARule() {
    List<String> without = new ArrayList<>();
    endpoints()
        .forEach((pattern, methods) -> {
          Map<String, Access> rules = RULES.get(pattern);
          if (rules == null) {
            without.add(pattern + " " + methods);
          } else if (!rules.isEmpty()) {
            methods.stream()
                .filter(method -> !rules.containsKey(method))
                .forEach(method -> without.add(method + " " + pattern));
          }
        });
    assertThat(without).as("endpoints without a rule in this test").isEmpty();
    assertThat(RULES.keySet()).as("rules without an endpoint").isSubsetOf(endpoints().keySet());
  }

  @Test
  void theDocumentOfTheApiHasEachCommandToAServiceForThoseWhoMayGiveIt() throws Exception {
    for (Role role : Role.values()) {
      Set<String> commands = new TreeSet<>();
      endpoints()
          .forEach((pattern, methods) -> {
            if (pattern.startsWith("/api/v1/services/")
                && methods.contains("POST")
                && RULES.get(pattern).get("POST").admits(role)) {
              commands.add(pattern);
            }
          });
      Set<String> described = new TreeSet<>();
      door
          .get("/api/v1/openapi.json", TOKENS.get(role))
          .json()
          .path("paths")
          .propertyNames()
          .stream()
          .filter(path -> path.startsWith("/api/v1/services/"))
          .forEach(described::add);
      assertThat(described).as(role.text()).isEqualTo(commands);
      assertThat(commands.isEmpty()).isEqualTo(role.compareTo(Role.OPERATOR) < 0);
    }
  }

  @Test
  void everyEndpointAdmitsOnlyTheRolesOfItsRule() throws Exception {
    SoftAssertions softly = new SoftAssertions();
    Map<String, Map<String, Access>> asked = new LinkedHashMap<>();
    for (String pattern : endpoints().keySet()) {
      asked.put(sample(pattern), RULES.getOrDefault(pattern, Map.of()));
    }
    OPEN_PATHS.forEach((path, access) -> asked.put(path, Map.of("GET", access)));
    for (Map.Entry<String, Map<String, Access>> path : asked.entrySet()) {
      for (String method : METHODS) {
        Access access = path.getValue().getOrDefault(method, NOBODY);
        ask(softly, method, path.getKey(), access);
      }
    }
    softly.assertAll();
    assertThat(asked.size()).isGreaterThan(15);
  }

  private void ask(SoftAssertions softly, String method, String path, Access access)
      throws Exception {
    String json = method.equals("POST") || method.equals("PUT") ? "{}" : null;
    for (String wrong : new String[] {null, TokenText.generate(), "x"}) {
      Door.Answer answer = door.send(method, path, wrong, json);
      if (access.admits(null) && wrong == null) {
        // The root and the page's folder answer 302, an unknown file 404.
        softly
            .assertThat(answer.status())
            .as("%s %s", method, path)
            .isIn(200, 302, path.startsWith("/admin/v/") ? 404 : 200);
      } else {
        boolean mayBeFromAnotherSite =
            wrong == null
                && path.startsWith("/admin/api/v1/")
                && !List.of("GET", "HEAD", "OPTIONS").contains(method);
        softly
            .assertThat(answer.status())
            .as("%s %s, nobody", method, path)
            .isEqualTo(mayBeFromAnotherSite ? 403 : 401);
        if (!mayBeFromAnotherSite) {
          softly
              .assertThat(answer.headers().get("www-authenticate"))
              .isEqualTo(wrong == null ? "Bearer" : "Bearer error=\"invalid_token\"");
        }
        softly
            .assertThat(answer.headers().get("content-type"))
            .isEqualTo("application/problem+json");
      }
    }
    for (Role role : Role.values()) {
      Door.Answer answer = door.send(method, path, TOKENS.get(role), json);
      if (access.admits(role)) {
        softly
            .assertThat(answer.status())
            .as("%s %s, %s", method, path, role)
            .isNotIn(401, 403, 405, 500);
      } else {
        softly.assertThat(answer.status()).as("%s %s, %s", method, path, role).isEqualTo(403);
        softly
            .assertThat(answer.headers().get("content-type"))
            .isEqualTo("application/problem+json");
      }
    }
  }

  @Test
  void everyMethodOfAControllerRefusesWithoutAFilterChain() throws Exception {
    refuses(MockMvcBuilders.webAppContextSetup((WebApplicationContext) context).build());
  }

  /** As in an application that identifies callers of Forebay for endpoints of its own. */
  @Test
  void everyMethodOfAControllerRefusesAfterAChainWithoutItsRules() throws Exception {
    SecurityFilterChain allowsAll =
        context
            .getBean(CallerSecurity.class)
            .identify(context.getBean(HttpSecurity.class))
            .authorizeHttpRequests(paths -> paths.anyRequest().permitAll())
            .build();
    refuses(
        MockMvcBuilders.webAppContextSetup((WebApplicationContext) context)
            .<DefaultMockMvcBuilder>addFilters(new FilterChainProxy(allowsAll))
            .build());
  }

  /**
   * The methods come from the controllers themselves, so that a new controller is covered. Nobody
   * may call one, not even an administrator of Forebay whom another filter has logged in.
   */
  private void refuses(MockMvc server) throws Exception {
    SoftAssertions softly = new SoftAssertions();
    int asked = 0;
    for (Map.Entry<String, Set<String>> endpoint : endpoints().entrySet()) {
      String pattern = endpoint.getKey();
      if (!pattern.startsWith("/api/") && !pattern.startsWith("/admin")) {
        continue;
      }
      Set<String> methods =
          endpoint.getValue().isEmpty() ? RULES.get(pattern).keySet() : endpoint.getValue();
      for (String method : methods) {
        MockHttpServletRequestBuilder request =
            MockMvcRequestBuilders.request(HttpMethod.valueOf(method), sample(pattern))
                .contentType(MediaType.APPLICATION_JSON)
                .content("{}")
                .header("Authorization", "Bearer " + TOKENS.get(Role.ADMIN))
                .with(it -> {
                  it.setUserPrincipal(() -> "somebody");
                  it.addUserRole("ADMIN");
                  return it;
                });
        softly
            .assertThat(server.perform(request).andReturn().getResponse().getStatus())
            .as("%s %s", method, pattern)
            .isEqualTo(403);
        asked++;
      }
    }
    softly.assertAll();
    assertThat(asked).isGreaterThan(80);
  }

  private static String sample(String pattern) {
    return pattern.replaceAll("\\{\\*\\w+}|\\*\\*", "a1/b2").replaceAll("\\{\\w+(:[^}]*)?}", "a1");
  }

  @Test
  void anUnknownPathIsDenied() throws Exception {
    for (String path :
        List.of(
            "/nothing",
            "/actuator",
            "/actuator/env",
            "/actuator/heapdump",
            "/error",
            "/api/v1/",
            "/api/v1/tokens/a1/b2",
            "/admin/nothing",
            "/admin/actuator/heapdump",
            "/admin/api",
            "/admin/api/v1/nothing",
            "/admin/api/v1/users/a1/b2",
            "/administrator",
            "/actuator/health/db",
            "/favicon.ico",
            "/login")) {
      assertThat(door.get(path, null).status()).as(path).isEqualTo(401);
      assertThat(door.get(path, TOKENS.get(Role.ADMIN)).status()).as(path).isEqualTo(403);
    }
  }

  /** A viewer tries to reach endpoints for administrators. */
  @Test
  void noSpellingOfAPathGoesAroundItsRule() throws Exception {
    String viewer = "Authorization: Bearer " + TOKENS.get(Role.VIEWER);
    for (String path :
        List.of(
            "//api/v1/tokens",
            "/api//v1/tokens",
            "/api/v1/tokens/",
            "/api/v1/tokens//",
            "/api/v1/tokens;a=b",
            "/api;a/v1/tokens",
            "/;/api/v1/tokens",
            "/api/v1/./tokens",
            "/api/v1/status/../tokens",
            "/actuator/health/liveness/../../../api/v1/tokens",
            "/actuator/health/liveness/..;/..;/..;/api/v1/tokens",
            "/actuator/health/liveness;/api/v1/tokens",
            "/actuator/health/liveness/%2e%2e/%2e%2e/%2e%2e/api/v1/tokens",
            "/actuator/health/liveness%2f..%2f..%2f..%2fapi/v1/tokens",
            "/admin/../api/v1/tokens",
            "/admin/..;/api/v1/tokens",
            "/admin/%2e%2e/api/v1/tokens",
            "/admin/v/1/../../../api/v1/tokens",
            "/api/v1/%74okens",
            "/api/v1/%2574okens",
            "/api/v1%2ftokens",
            "/api/v1/tokens%2f",
            "/api/v1/tokens%00",
            "/api/v1/tokens%0a",
            "/api/v1/tokens%20",
            "/api/v1/tokens.json",
            "/api/v1/TOKENS",
            "/api\\v1\\tokens",
            "/api/v1/tokens?role=admin",
            "http://a/api/v1/tokens",
            "http://127.0.0.1:1/actuator/health/../../api/v1/tokens",
            "*",
            "/%zz")) {
      Door.Answer answer = door.raw("GET " + path, viewer);
      assertThat(answer.status()).as(path).isIn(400, 403, 404);
      assertThat(answer.body()).as(path).doesNotContain("a-admin");
      assertThat(door.raw("GET " + path).status()).as(path).isIn(400, 401, 404);
    }
  }

  @Test
  void noMethodGoesAroundARule() throws Exception {
    String viewer = "Authorization: Bearer " + TOKENS.get(Role.VIEWER);
    String admin = "Authorization: Bearer " + TOKENS.get(Role.ADMIN);
    for (String method : List.of("TRACE", "TRACK", "CONNECT", "PROPFIND", "get", "GETS", "DEBUG")) {
      for (String who : List.of(viewer, admin)) {
        assertThat(door.raw(method + " /api/v1/tokens", who).status())
            .as(method)
            .isIn(400, 403, 405, 501);
      }
    }
    for (String override :
        List.of("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method")) {
      assertThat(door.raw("POST /actuator/prometheus", viewer, override + ": GET").status())
          .isEqualTo(403);
      assertThat(door.raw("POST /actuator/prometheus?_method=GET", viewer).status()).isEqualTo(403);
    }
    for (String forwarded :
        List.of("X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix", "Forwarded")) {
      assertThat(
              door.raw("GET /api/v1/tokens", viewer, forwarded + ": /actuator/health/liveness")
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void aTokenComesInItsHeaderAndNowhereElse() throws Exception {
    String token = TOKENS.get(Role.ADMIN);
    String right = "Authorization: Bearer " + token;
    assertThat(door.raw("GET /api/v1/tokens", right).status()).isEqualTo(200);
    assertThat(door.raw("GET /api/v1/tokens", "authorization: bearer " + token).status())
        .isEqualTo(200);
    for (String[] wrong :
        new String[][] {
          {"Authorization: " + token},
          {"Authorization: Basic " + token},
          {"Authorization: Bearer " + token + "x"},
          {"Authorization: Bearer " + token.substring(0, token.length() - 1)},
          {"Authorization: Bearer " + TokenText.hash(token)},
          {"Authorization: Bearer " + token + ", Bearer " + token},
          {right, right},
          {"Cookie: token=" + token},
          {"X-Api-Key: " + token},
        }) {
      assertThat(door.raw("GET /api/v1/tokens", wrong).status()).as(wrong[0]).isEqualTo(401);
    }
    assertThat(door.raw("GET /api/v1/tokens?access_token=" + token).status()).isEqualTo(401);
  }

  @Test
  void healthAndInfoShowNothingButTheState() throws Exception {
    for (String path : List.of("/actuator/health/liveness", "/actuator/health/readiness")) {
      assertThat(door.get(path, null).body()).isEqualTo("{\"status\":\"UP\"}");
      assertThat(door.get(path, "wrong").status()).as("a wrong one is refused").isEqualTo(401);
    }
    assertThat(door.get("/actuator/info", TOKENS.get(Role.VIEWER)).body()).isEqualTo("{}");
    assertThat(door.get("/actuator/health", TOKENS.get(Role.VIEWER)).json().propertyNames())
        .containsExactlyInAnyOrder("status", "groups");
  }
}
