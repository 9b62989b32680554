/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.admin.host.Settings;
import io.forebay.app.command.Configured;
import io.forebay.app.command.WrongUsage;
import io.forebay.app.probe.ProbeRequest.Kind;
import io.forebay.capacity.sweep.Point;
import io.forebay.capacity.sweep.Sweep;
import io.forebay.capacity.sweep.Verdict;
import io.forebay.jdbc.spring.GatewayCopies;
import io.forebay.queue.QueueBackend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code probe}: measures which load the host, the backend and the database sustain, with the
 * configuration of the service. It is possible beside a running service. Everything that it creates
 * is deleted at the end, also when the process gets SIGTERM or Ctrl-C.
 */
public final class ProbeCommand {

  private static final int SUSTAINED = 0;
  private static final int NOT_SUSTAINED = 1;
  private static final int FAILED = 2;

  /** Properties that matter for the figures, except addresses and logins. */
  private static final Pattern SHOWN =
      Pattern.compile("forebay\\.(backend|chronicle\\..*|kafka\\..*|memory\\..*|gateways\\..*)");

  private static final Pattern NOT_SHOWN =
      Pattern.compile(
          ".*\\.(datasource|owner|properties|dev)(\\..*|\\[.*|$)|.*\\.bootstrap-servers");

  private final ProbeRequest request;
  private final Workspace workspace;

  private ProbeCommand(ProbeRequest request, Workspace workspace) {
    this.request = request;
    this.workspace = workspace;
  }

  /** Whether the arguments of the process are for this command. */
  public static boolean isMeant(String[] arguments) {
    return arguments.length > 0 && arguments[0].equals("probe");
  }

  /**
   * Performs the command.
   *
   * @return the exit status
   */
  public static int run(String[] arguments) {
    List<String> own = Arrays.asList(arguments).subList(1, arguments.length);
    if (own.contains("--help") || own.equals(List.of("help"))) {
      System.out.print(ProbeRequest.USAGE);
      return SUSTAINED;
    }
    try {
      ProbeRequest request = ProbeRequest.of(own);
      ProbeReport report = probe(request);
      write(request, report);
      return report.paths().stream().allMatch(it -> it.verdict().sustainablePerSecond() > 0)
          ? SUSTAINED
          : NOT_SUSTAINED;
    } catch (WrongUsage e) {
      System.err.printf("%s%n\"probe --help\" lists the options%n", e.getMessage());
      return FAILED;
    } catch (InterruptedException _) {
      return FAILED;
    } catch (IOException | RuntimeException | Error e) {
      System.err.println(Configured.reason(e));
      return FAILED;
    }
  }

  private static ProbeReport probe(ProbeRequest request) throws IOException, InterruptedException {
    try (EndOfProcess end = new EndOfProcess()) {
      try (Workspace workspace = Workspace.open(request.configuration())) {
        return new ProbeCommand(request, workspace).perform();
      } catch (InterruptedException | RuntimeException e) {
        if (!end.hasBegun()) {
          throw e;
        }
        // The process ends as soon as this is left.
        System.err.println("The probe was ended; its tables and queues are deleted");
        throw new InterruptedException();
      }
    }
  }

  private static void write(ProbeRequest request, ProbeReport report) throws IOException {
    Files.writeString(
        request.figures(),
        JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report.figures())
            + "\n");
    Files.writeString(request.out(), ProbePage.html(report), StandardCharsets.UTF_8);
    System.out.printf("%nwritten: %s%n         %s%n", request.out(), request.figures());
  }

  private ProbeReport perform() throws IOException, InterruptedException {
    Set<Kind> kinds = kinds();
    GatewayCopies.@Nullable Original gateway = kinds.contains(Kind.GATEWAY) ? gateway() : null;
    System.out.printf(
        "Measures how many messages per second this machine sustains (%s; backend %s; %,d bytes per message).%n"
            + "It puts full load on the host%s for about %s; a service that runs meanwhile slows down.%n"
            + "Ctrl-C ends it. Its queues%s are deleted at the end.%n%n",
        String.join(", ", kinds.stream().map(Kind::toString).toList()),
        workspace.backend().name(),
        request.bytes(),
        gateway == null ? "" : " and the database of gateway " + gateway.name(),
        Terminal.duration(request.plan().about().multipliedBy(kinds.size())),
        gateway == null ? "" : " and its table");
    Instant at = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    var machine = Machine.describe(workspace.path());
    Point jitter = Machine.jitter(request.plan().length());
    List<PathResult> results = new ArrayList<>();
    for (Kind kind : kinds) {
      results.add(measure(kind, gateway));
    }
    Terminal.print(jitter, results);
    return new ProbeReport(
        at, request.isShort(), request.bytes(), machine, settings(), jitter, results);
  }

  private Set<Kind> kinds() {
    if (!request.paths().isEmpty()) {
      return request.paths();
    }
    return workspace.gateways().isEmpty()
        ? EnumSet.complementOf(EnumSet.of(Kind.GATEWAY))
        : EnumSet.allOf(Kind.class);
  }

  private GatewayCopies.Original gateway() {
    List<String> all = workspace.gateways();
    if (all.isEmpty()) {
      throw new WrongUsage("--paths=gateway needs a gateway, and none is configured");
    }
    return workspace.gateway(Objects.requireNonNullElse(request.gateway(), all.getFirst()));
  }

  private PathResult measure(Kind kind, GatewayCopies.@Nullable Original gateway)
      throws IOException, InterruptedException {
    QueueBackend backend = workspace.backend();
    ProbeTable table = kind == Kind.GATEWAY && gateway != null ? workspace.table(gateway) : null;
    PathLoad.Opening opening =
        name ->
            switch (kind) {
              case APPEND -> new AppendPath(backend, name, request.bytes());
              case SERVICE -> new ServicePath(backend, name, request.bytes());
              case GATEWAY ->
                  new GatewayPath(
                      backend,
                      Objects.requireNonNull(gateway),
                      Objects.requireNonNull(table),
                      name,
                      request.bytes());
            };
    try (PathLoad load = new PathLoad(backend, workspace.id() + "-" + kind, opening)) {
      String what =
          switch (kind) {
            case APPEND -> "appended to a queue and acknowledged at level " + load.level();
            case SERVICE ->
                "appended to a queue, performed by a component, and its answer read in the same process";
            case GATEWAY ->
                "appended to a queue, inserted by gateway %s into %s, and its result read"
                    .formatted(
                        Objects.requireNonNull(gateway).name(),
                        Objects.requireNonNull(table).database());
          };
      System.out.printf("%s: %s%n", kind, what);
      Verdict verdict = new Sweep(load, request.plan(), Terminal::progress).run();
      System.out.println();
      if (!request.isShort()) {
        load.awaitBytes();
      }
      return new PathResult(kind, what, verdict, load.inBytes(), load.outBytes(), load.free());
    } catch (WrongUsage e) {
      throw e;
    } catch (RuntimeException e) {
      throw new IllegalStateException("Path %s: %s".formatted(kind, Configured.reason(e)), e);
    }
  }

  private List<Settings.Setting> settings() {
    return new Settings(workspace.context())
        .all().stream()
            .filter(it -> SHOWN.matcher(it.key()).matches())
            .filter(it -> !NOT_SHOWN.matcher(it.key()).matches())
            .toList();
  }
}
