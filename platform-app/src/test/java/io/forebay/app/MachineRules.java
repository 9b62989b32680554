/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Checks that the code which a simulation runs takes clocks, timed waits, threads and random
 * numbers from {@code io.forebay.machine} alone: one that it took from the JDK would make a run
 * that cannot be repeated, or that waits in real time. {@link DependencyDirectionTest} runs the
 * checks, because it reads all classes anyway.
 */
final class MachineRules {

  /** All code in these packages, and in those below them. */
  private static final Set<String> PACKAGES =
      Set.of(
          "queue",
          "call",
          "service",
          "background",
          "hosting",
          "capacity",
          "operations",
          "chronicle",
          "chunk",
          "database",
          "system",
          "jdbc");

  /** Is part of the web server, whose threads and sockets no simulation provides. */
  private static final String DOOR = "io.forebay.jdbc.http";

  /** Classes that take random numbers from the JDK, because these are secrets. */
  private static final Set<String> SECRETS =
      Set.of("io.forebay.database.Credentials", "io.forebay.system.SenderKeyTable");

  /** The JDK's methods, by the class that declares them. Starts of names. */
  private static final Map<Class<?>, Set<String>> METHODS =
      Map.ofEntries(
          entry(System.class, Set.of("nanoTime", "currentTimeMillis")),
          entry(Math.class, Set.of("random")),
          entry(UUID.class, Set.of("randomUUID")),
          entry(LockSupport.class, Set.of("parkNanos", "parkUntil")),
          entry(Thread.class, Set.of("sleep", "ofPlatform", "<init>")),
          entry(TimeUnit.class, Set.of("sleep", "timed")),
          entry(Condition.class, Set.of("awaitNanos", "awaitUntil")),
          entry(CompletableFuture.class, Set.of("delayedExecutor")),
          entry(SecureRandom.class, Set.of("")),
          entry(SplittableRandom.class, Set.of("")),
          entry(ThreadLocalRandom.class, Set.of("")),
          entry(Random.class, Set.of("")),
          entry(RandomGenerator.class, Set.of("of", "getDefault")),
          entry(Executors.class, Set.of("new")),
          entry(ForkJoinPool.class, Set.of("<init>", "commonPool")),
          entry(ThreadPoolExecutor.class, Set.of("<init>")),
          entry(Timer.class, Set.of("<init>")));

  @ArchTest
  static void clocksTimedWaitsThreadsAndChanceComeFromMachine(JavaClasses ours) {
    noClasses()
        .that(describe("run in a simulation", MachineRules::isSimulated))
        .should()
        .accessTargetWhere(
            describe("is a method of the JDK that Machine has, too", MachineRules::isOfMachine))
        .check(ours);
  }

  @ArchTest
  static void exceptionsAreNeeded(JavaClasses ours) {
    assertThat(SECRETS)
        .allSatisfy(name ->
            assertThat(ours.get(name).getAccessesFromSelf()).anyMatch(MachineRules::isOfMachine));
  }

  private static boolean isSimulated(JavaClass type) {
    String name = type.getPackageName();
    return PACKAGES.contains(name.split("\\.")[2])
        && !name.equals(DOOR)
        && !name.startsWith(DOOR + ".")
        && !SECRETS.contains(type.getName());
  }

  private static boolean isOfMachine(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && (isListed(target) || readsClock(target) || isTimed(target));
  }

  private static boolean isListed(CodeUnitAccessTarget target) {
    return METHODS.entrySet().stream()
        .anyMatch(each ->
            target.getOwner().isAssignableTo(each.getKey())
                && each.getValue().stream().anyMatch(target.getName()::startsWith));
  }

  /**
   * {@code Instant.now()}, {@code Clock.systemUTC()}, {@code InstantSource.system()}, and so on.
   */
  private static boolean readsClock(CodeUnitAccessTarget target) {
    return target.getOwner().getPackageName().equals("java.time")
        && (target.getName().equals("now")
            || target.getName().startsWith("system")
            || target.getName().startsWith("tick"));
  }

  /** A wait that is given a time: {@code wait(5)}, {@code join(time)}, {@code get(5, SECONDS)}. */
  private static boolean isTimed(CodeUnitAccessTarget target) {
    boolean ofThread =
        target.getOwner().isAssignableTo(Thread.class) && target.getName().equals("join");
    boolean ofMonitor =
        target.getOwner().isEquivalentTo(Object.class) && target.getName().equals("wait");
    return (ofThread || ofMonitor)
        ? !target.getRawParameterTypes().isEmpty()
        : !target.getOwner().isEquivalentTo(TimeUnit.class)
            && target.getRawParameterTypes().stream()
                .anyMatch(it -> it.isEquivalentTo(TimeUnit.class));
  }
}
