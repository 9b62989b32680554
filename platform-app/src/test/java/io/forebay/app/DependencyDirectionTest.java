/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks the direction of the dependencies. This test is in this module because only the service
 * has every module on its class path.
 */
@AnalyzeClasses(
    packages = "io.forebay",
    importOptions = DependencyDirectionTest.WithoutTestClasses.class)
class DependencyDirectionTest {

  private static final Set<String> CORE =
      Set.of("queue", "call", "service", "chunk", "capacity", "operations", "problem");

  /** Each package under {@code io.forebay}, and the other Forebay packages it may depend on. */
  private static final Map<String, Set<String>> MAY_KNOW =
      Map.ofEntries(
          entry("queue", Set.of()),
          entry("call", Set.of("queue")),
          entry("service", Set.of("queue", "call")),
          entry("chunk", Set.of()),
          entry("capacity", Set.of()),
          entry("operations", Set.of("queue", "service", "capacity")),
          entry("problem", Set.of()),
          entry("configuration", Set.of()),
          entry("own", Set.of("queue", "call", "service", "operations")),
          entry("chronicle", CORE),
          entry("kafka", CORE),
          entry("jdbc", CORE),
          entry(
              "batch", Stream.concat(CORE.stream(), Stream.of("jdbc")).collect(Collectors.toSet())),
          entry("admin", Set.of("queue", "service", "operations", "capacity", "problem")),
          entry(
              "app",
              Set.of(
                  "queue",
                  "call",
                  "service",
                  "own",
                  "capacity",
                  "operations",
                  "problem",
                  "chronicle",
                  "jdbc",
                  "batch",
                  "admin")));

  @ArchTest
  static void eachPackageDependsOnlyOnAllowedPackages(JavaClasses ours) {
    assertThat(ours.stream().map(DependencyDirectionTest::station).collect(Collectors.toSet()))
        .as("packages under io.forebay, each with its line in MAY_KNOW")
        .isEqualTo(MAY_KNOW.keySet());
    MAY_KNOW.forEach((station, others) ->
        classes()
            .that()
            .resideInAPackage("io.forebay." + station + "..")
            .should()
            .onlyDependOnClassesThat(
                describe(
                    "are in io.forebay.%s, in %s, or not ours".formatted(station, others),
                    it ->
                        !it.getPackageName().startsWith("io.forebay.")
                            || station(it).equals(station)
                            || others.contains(station(it))))
            .check(ours));
  }

  @ArchTest
  static void coreKnowsNoSpringNoSqlAndNoBackend(JavaClasses ours) {
    noClasses()
        .that(
            describe(
                "are in the core and not for the configuration of a Spring application",
                it -> CORE.contains(station(it)) && !isConfiguration(it)))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.springframework..",
            "java.sql..",
            "javax.sql..",
            "org.apache.kafka..",
            "net.openhft..")
        .check(ours);
  }

  private static boolean isConfiguration(JavaClass type) {
    return type.getSimpleName().matches(".*(AutoConfiguration|Properties|FailureAnalyzer)");
  }

  /** The first part of the package name after {@code io.forebay}. */
  private static String station(JavaClass type) {
    return type.getPackageName().split("\\.")[2];
  }

  static class WithoutTestClasses implements ImportOption {

    private static final Pattern TESTS = Pattern.compile(".*(/test-classes/|-tests\\.jar).*");

    @Override
    public boolean includes(Location location) {
      return !location.matches(TESTS);
    }
  }
}
