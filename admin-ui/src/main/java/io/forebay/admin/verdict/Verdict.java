/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.forebay.capacity.Alert.Severity;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import io.forebay.text.Formats;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The overall state, in one sentence.
 *
 * @param severity the severity of the worst problem
 * @param problems all problems, the most urgent first
 * @param recovered a sentence for each service that has recovered lately, the latest first
 */
public record Verdict(
    Severity severity,
    String text,
    @JsonIgnoreProperties("figure") List<Problem> problems,
    List<String> recovered) {

  private static final int MOST = 20;

  /** The most paused services that are named. */
  private static final int MOST_PAUSED = 2;

  public static Verdict of(
      List<ServiceReport> services, List<Problem> problems, List<String> recovered) {
    if (problems.isEmpty()) {
      boolean grows = services.stream().anyMatch(it -> it.state() == ServiceReport.State.GROWING);
      return new Verdict(
          grows ? Severity.WATCH : Severity.FINE,
          fine(services) + openFailures(services),
          problems,
          recovered);
    }
    Severity severity = problems.getFirst().severity();
    String text = needed(services.size(), severity, problems);
    return new Verdict(severity, text, problems.stream().limit(MOST).toList(), recovered);
  }

  private static String needed(int all, Severity severity, List<Problem> open) {
    List<String> names =
        open.stream()
            .filter(it -> it.severity() == severity || isAlike(it, open.getFirst()))
            .map(Problem::service)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    @Nullable String first = open.getFirst().service();
    boolean bad = severity == Severity.BAD;
    String services = Formats.count(all, "service");
    @Nullable String job = open.getFirst().job();
    if (job != null) {
      return names.isEmpty()
          ? (bad ? "Job %s needs attention." : "Watch job %s.").formatted(job)
          : (bad ? "Job %s and %d of %s need attention." : "Watch job %s and %d of %s.")
              .formatted(job, names.size(), services);
    }
    if (names.isEmpty() || first == null) {
      return (bad ? "Attention needed: %s." : "Watch %s.").formatted(subject(open.getFirst()));
    }
    return names.size() == 1
        ? (bad ? "%s needs attention (1 of %s)." : "Watch %s (1 of %s).").formatted(first, services)
        : (bad ? "%d of %s need attention, %s first." : "Watch %d of %s, %s first.")
            .formatted(names.size(), services, first);
  }

  /** Services that wait, as for their databases, are one trouble, whichever is late first. */
  private static boolean isAlike(Problem one, Problem first) {
    return one.kind() == AlertKind.WAITING && first.kind() == AlertKind.WAITING;
  }

  private static String subject(Problem problem) {
    return switch (problem.kind()) {
      case DISK, SPACE -> "disk " + problem.volume();
      case INSTANCE -> "instance " + problem.id().substring(problem.id().indexOf('~') + 1);
      default -> problem.kind().name().toLowerCase(Locale.ROOT);
    };
  }

  private static String openFailures(List<ServiceReport> services) {
    long open =
        services.stream()
            .map(it -> it.failures().open())
            .filter(Objects::nonNull)
            .mapToLong(it -> it.count())
            .sum();
    return open == 0
        ? ""
        : " %s %s open; see Failed."
            .formatted(Formats.count(open, "failure"), open == 1 ? "is" : "are");
  }

  /** No service is late, but some are paused, which must not be forgotten. */
  private static String paused(List<String> paused, int others) {
    String names =
        paused.size() > MOST_PAUSED
            ? paused.size() + " services are"
            : String.join(" and ", paused) + (paused.size() == 1 ? " is" : " are");
    return others == 0
        ? names + " paused."
        : "%s paused; %s."
            .formatted(
                names,
                others == 1
                    ? "the other service keeps up"
                    : "the other %d services keep up".formatted(others));
  }

  private static String fine(List<ServiceReport> services) {
    if (services.isEmpty()) {
      return "There are no services.";
    }
    List<String> unsettled =
        services.stream().flatMap(it -> Sentences.unsettled(it).stream()).toList();
    List<String> paused =
        services.stream()
            .filter(it -> it.phase() == ServiceState.Phase.PAUSED)
            .map(ServiceReport::name)
            .toList();
    if (!unsettled.isEmpty()) {
      int others = services.size() - unsettled.size() - paused.size();
      Stream<String> keepUp =
          services.size() == 1
              ? Stream.empty()
              : Stream.of(
                  "%d of %s %s up"
                      .formatted(
                          others,
                          Formats.count(services.size(), "service"),
                          others == 1 ? "keeps" : "keep"));
      Stream<String> still = paused.stream().map("%s is paused"::formatted);
      return Stream.of(keepUp, unsettled.stream(), still)
          .flatMap(it -> it)
          .collect(Collectors.joining("; ", "", "."));
    }
    return paused.isEmpty()
        ? services.size() == 1
            ? services.getFirst().name() + " keeps up."
            : "All %d services keep up.".formatted(services.size())
        : paused(paused, services.size() - paused.size());
  }
}
