/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.admin.watch.FigureModule;
import io.forebay.capacity.AlertRule;
import io.forebay.capacity.Thresholds;
import io.forebay.operations.Instance;
import io.forebay.operations.SelfCheck;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The set-up of this process: instance, configuration, kernel and self-test. */
@RestController
final class SetupController {

  /**
   * How long results are reused, so that many requests do not repeat the checks of disk and
   * databases.
   */
  private static final long TESTED_NANOS = Duration.ofSeconds(10).toNanos();

  private static final List<SelfCheck.State> URGENCY =
      List.of(
          SelfCheck.State.FAILED,
          SelfCheck.State.WARN,
          SelfCheck.State.UNKNOWN,
          SelfCheck.State.OK);

  /** What does not work, then what may fail, each by what it can lead to. */
  private static final Comparator<SelfCheck.Result> WORST_FIRST =
      Comparator.comparing((SelfCheck.Result it) -> URGENCY.indexOf(it.state()))
          .thenComparing(SelfCheck.Result::harm, Comparator.nullsLast(Comparator.naturalOrder()));

  private final Instance instance;
  private final ApplicationContext context;
  private final KernelLimits kernel;
  private final List<SelfCheck> tests;
  private @Nullable List<SelfCheck.Result> results;
  private long tested;

  SetupController(
      Instance instance, ApplicationContext context, KernelLimits kernel, List<SelfCheck> tests) {
    this.instance = instance;
    this.context = context;
    this.kernel = kernel;
    this.tests = tests;
  }

  /**
   * @param selfTest the worst first
   */
  record Document(
      String backend,
      List<String> profiles,
      String version,
      String java,
      Instant since,
      String instance,
      List<Settings.Setting> configuration,
      List<KernelLimits.Limit> kernel,
      List<SelfCheck.Result> selfTest,
      List<Threshold> thresholds) {}

  /**
   * @param bad null if the figure never becomes bad
   */
  record Threshold(String figure, double watch, @Nullable Double bad, String unit) {}

  @GetMapping("/admin/api/v1/setup")
  ResponseEntity<byte[]> setup() {
    Document document =
        new Document(
            instance.backend(),
            List.of(context.getEnvironment().getActiveProfiles()),
            Objects.requireNonNullElse(
                SetupController.class.getPackage().getImplementationVersion(), "unknown"),
            Runtime.version().toString(),
            instance.since(),
            instance.name(),
            new Settings(context).all(),
            kernel.all(),
            tested(),
            Arrays.stream(Thresholds.class.getRecordComponents())
                .map(SetupController::threshold)
                .toList());
    return FigureModule.answer(document);
  }

  private synchronized List<SelfCheck.Result> tested() {
    List<SelfCheck.Result> known = results;
    if (known == null || System.nanoTime() - tested > TESTED_NANOS) {
      known = tests.stream().flatMap(it -> it.run().stream()).sorted(WORST_FIRST).toList();
      results = known;
      tested = System.nanoTime();
    }
    return known;
  }

  private static Threshold threshold(RecordComponent component) {
    try {
      AlertRule rule = (AlertRule) component.getAccessor().invoke(Thresholds.DEFAULT);
      String name = component.getName();
      double bad = rule.bad().value();
      return new Threshold(
          name,
          rule.watch().value(),
          bad == Double.MAX_VALUE ? null : bad,
          name.endsWith("Seconds") ? "s" : name.endsWith("Share") ? "share" : "count");
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
