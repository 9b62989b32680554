/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.races;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import kotlin.Unit;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.RandomnessProvider;
import org.pastalab.fray.core.randomness.RecordedRandomProvider;
import org.pastalab.fray.core.scheduler.FifoScheduler;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.core.scheduler.Scheduler;

/**
 * Runs scenarios under schedules that Fray chooses by partial order sampling. Only one thread runs
 * at a time; another may take its place at each lock, wait, volatile or atomic operation. Time is
 * simulated: it advances a little at each step, and to the end of the next wait when all threads
 * wait.
 *
 * <p>The schedules are the same in each build. {@code -Dforebay.races.times=100} explores a hundred
 * times as many, {@code -Dforebay.races.seed=7} explores others, and {@code
 * -Dforebay.races.replay=DIRECTORY} repeats the one that was recorded.
 */
public final class Races {

  private static final int TIMES = Integer.getInteger("forebay.races.times", 1);
  private static final long SEED = Long.getLong("forebay.races.seed", 20_260_301);
  private static final String REPLAY = System.getProperty("forebay.races.replay", "");
  private static final Path REPORTS = Path.of(System.getProperty("forebay.races.reports"));

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int ANY_STEPS = -1;
  private static final int ANY_SECONDS = Integer.MAX_VALUE;
  private static final long NANOS_PER_STEP = 1_000;

  private Races() {}

  /**
   * Explores so many schedules; throws what a scenario throws under one of them.
   *
   * @param steps {@link Mutation#steps}
   */
  public static void explore(Class<? extends Scenario> scenario, int schedules, Mutation... steps) {
    Path report = REPORTS.resolve(name(scenario));
    Throwable failure = failure(mutated(scenario, List.of(steps)), report, schedules * TIMES);
    if (failure != null) {
      throw new AssertionError(
          "%s fails under some schedule: %s; repeat it with -Dforebay.races.replay=%s"
              .formatted(name(scenario), failure, report.resolve("recording").toAbsolutePath()),
          failure);
    }
  }

  /** Explores schedules until the scenario fails because of the planted race; throws if not. */
  public static void find(Class<? extends Scenario> scenario, int schedules, Mutation... planted) {
    String where = Arrays.toString(planted);
    Path report = REPORTS.resolve("planted").resolve(name(scenario) + where);
    if (failure(mutated(scenario, List.of(planted)), report, schedules) == null) {
      throw new AssertionError(
          "%s does not find the race planted in %s within %,d schedules"
              .formatted(name(scenario), where, schedules));
    }
  }

  private static String name(Class<?> scenario) {
    return scenario.getName().replaceAll(".*\\.", "").replace('$', '.');
  }

  private static Class<? extends Scenario> mutated(
      Class<? extends Scenario> scenario, List<Mutation> mutations) {
    try {
      return mutations.isEmpty()
          ? scenario
          : new MutatedClasses(mutations).loadClass(scenario.getName()).asSubclass(Scenario.class);
    } catch (IOException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  /** Throws if something is not true. */
  public static void check(boolean isTrue, String what) {
    if (!isTrue) {
      throw new AssertionError(what);
    }
  }

  /** Runs a step on another thread; throws if it takes longer than ten simulated seconds. */
  public static void soon(Runnable step) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    Thread.ofPlatform()
        .start(() -> {
          step.run();
          done.countDown();
        });
    check(done.await(SOON.toMillis(), TimeUnit.MILLISECONDS), "still waiting after " + SOON);
  }

  /** Lets all other threads run until they have ended or wait. */
  public static void settle() throws InterruptedException {
    boolean _ = new CountDownLatch(1).await(SOON.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Throwable failure(Class<? extends Scenario> scenario, Path report, int schedules) {
    try {
      Files.createDirectories(report);
      // What its static fields hold may have threads, which are none of Fray's.
      Class.forName(scenario.getName(), true, scenario.getClassLoader());
      Constructor<? extends Scenario> constructor = scenario.getDeclaredConstructor();
      constructor.setAccessible(true);
      LambdaExecutor executor =
          new LambdaExecutor(() -> {
            run(constructor);
            return Unit.INSTANCE;
          });
      // Once as it comes, so that all classes are initialized before schedules are compared.
      run(executor, REPORTS.resolve("first"), 1, new FifoScheduler(), new Seeded(0), false);
      if (!REPLAY.isEmpty()) {
        RecordedRandomProvider recorded = new RecordedRandomProvider(REPLAY + "/random.json");
        return run(executor, report, 1, new POSScheduler(recorded.getRandomness()), recorded, true);
      }
      Seeded seeded = new Seeded(SEED);
      return run(
          executor, report, schedules, new POSScheduler(seeded.getRandomness()), seeded, false);
    } catch (ReflectiveOperationException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void run(Constructor<? extends Scenario> constructor) {
    try {
      constructor.newInstance().run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static Throwable run(
      LambdaExecutor executor,
      Path report,
      int schedules,
      Scheduler scheduler,
      RandomnessProvider random,
      boolean replay) {
    return new TestRunner(
            new Configuration(
                new ExecutionInfo(executor, false, true, ANY_STEPS),
                report,
                schedules,
                ANY_SECONDS,
                scheduler,
                random,
                false,
                false,
                true,
                replay,
                false,
                false,
                NetworkDelegateType.NONE,
                SystemTimeDelegateType.MOCK,
                NANOS_PER_STEP,
                false,
                false,
                false,
                false,
                false,
                false,
                null))
        .run();
  }

  /** The same sequence of choices for the same seed. */
  private static final class Seeded implements RandomnessProvider {

    private final RandomGenerator seeds;

    Seeded(long seed) {
      seeds = new Random(seed);
    }

    @Override
    public ControlledRandom getRandomness() {
      return new ControlledRandom(
          new ArrayList<>(), new ArrayList<>(), new Random(seeds.nextLong()));
    }
  }
}
