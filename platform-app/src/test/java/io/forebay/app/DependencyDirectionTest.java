/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.file.DurableFiles;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks the direction of the dependencies. This test is in this module because only the service
 * has every module on its class path.
 */
@AnalyzeClasses(
    packages = "io.forebay",
    importOptions = DependencyDirectionTest.WithoutTestClasses.class)
class DependencyDirectionTest {

  @ArchTest static final ArchTests MACHINE_RULES = ArchTests.in(MachineRules.class);

  private static final Set<String> CORE =
      Set.of(
          "queue",
          "call",
          "linux",
          "file",
          "service",
          "background",
          "hosting",
          "capacity",
          "operations",
          "report",
          "text",
          "machine",
          "trace");

  private static final String TEXT = "text";
  private static final String FILE = "file";
  private static final String MACHINE = "machine";
  private static final String TRACE = "trace";

  /**
   * Turn figures into text, make files durable, tell the time, and record spans; every station may
   * know them.
   */
  private static final Set<String> FOR_ALL = Set.of(TEXT, FILE, MACHINE, TRACE);

  /**
   * Rename a file and need not force its directory: a ring is in a file system in memory, and the
   * next start renames again what CycleFiles has put aside, and an older head of the audit is one
   * that must exist, too.
   */
  private static final Set<String> WITHOUT_FORCE =
      Set.of("PartitionRing", "RingRecovery", "CycleFiles");

  /** Each station, the first package under {@code io.forebay}, and the others that it may know. */
  private static final Map<String, Set<String>> MAY_KNOW =
      Map.ofEntries(
          entry("queue", Set.of()),
          entry("call", Set.of("queue")),
          entry("linux", Set.of()),
          entry("service", Set.of("queue", "call", "linux")),
          entry("background", Set.of("queue", "call", "service")),
          entry(
              "hosting",
              Set.of("queue", "call", "service", "background", "capacity", "operations")),
          entry("capacity", Set.of()),
          entry("operations", Set.of("queue", "call", "service", "capacity")),
          entry("report", Set.of("queue", "service", "capacity", "operations")),
          entry(TEXT, Set.of()),
          entry(FILE, Set.of()),
          entry(MACHINE, Set.of()),
          entry(TRACE, Set.of()),
          entry("web", Set.of("queue", "service", "operations")),
          entry(
              "spring",
              Set.of(
                  "queue",
                  "call",
                  "linux",
                  "service",
                  "background",
                  "hosting",
                  "capacity",
                  "operations",
                  "report")),
          entry("chronicle", Set.of("queue", "linux", "service", "background", "operations")),
          entry("kafka", Set.of("queue", "service", "background", "operations")),
          entry("database", Set.of("queue", "operations")),
          entry("system", Set.of("queue", "database", "service", "background", "operations")),
          entry(
              "jdbc",
              Set.of(
                  "queue",
                  "call",
                  "linux",
                  "service",
                  "background",
                  "hosting",
                  "capacity",
                  "operations",
                  "web",
                  "database",
                  "system")),
          entry(
              "chunk",
              Set.of("queue", "call", "service", "background", "hosting", "operations", "web")),
          entry("client", Set.of()),
          entry(
              "batch",
              Set.of(
                  "queue",
                  "call",
                  "service",
                  "background",
                  "operations",
                  "database",
                  "system",
                  "jdbc",
                  "chunk")),
          entry(
              "admin",
              Set.of("queue", "service", "background", "operations", "capacity", "report", "web")),
          entry("access", Set.of("service", "background", "operations", "web", "system")),
          entry(
              "security",
              Set.of(
                  "service",
                  "background",
                  "operations",
                  "web",
                  "system",
                  "jdbc",
                  "chunk",
                  "admin",
                  "access")),
          entry(
              "app",
              Set.of(
                  "queue",
                  "call",
                  "service",
                  "background",
                  "hosting",
                  "capacity",
                  "operations",
                  "web",
                  "database",
                  "system",
                  "jdbc",
                  "chunk",
                  "batch",
                  "admin",
                  "access",
                  "security")));

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
                            || FOR_ALL.contains(station(it))
                            || others.contains(station(it))))
            .check(ours));
  }

  @ArchTest
  static void coreKnowsNoSpringNoSqlAndNoBackend(JavaClasses ours) {
    noClasses()
        .that(describe("are in the core", it -> CORE.contains(station(it))))
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

  /** Without that, a power failure may bring the old name back. */
  @ArchTest
  static void aClassThatRenamesFilesForcesTheirDirectory(JavaClasses ours) {
    Set<String> forces = Set.of("forceDirectory", "replace");
    assertThat(
            ours.stream()
                .filter(it -> calls(it, Files.class.getName(), Set.of("move")))
                .filter(it ->
                    !calls(it, DurableFiles.class.getName(), forces)
                        && !calls(it, PrivateFiles.class.getName(), forces))
                .map(JavaClass::getSimpleName))
        .containsExactlyInAnyOrderElementsOf(WITHOUT_FORCE);
  }

  private static boolean calls(JavaClass type, String owner, Set<String> methods) {
    return type.getMethodCallsFromSelf().stream()
        .anyMatch(call ->
            call.getTargetOwner().getName().equals(owner) && methods.contains(call.getName()));
  }

  @ArchTest
  static void packagesHaveNoCircle(JavaClasses ours) {
    slices().matching("io.forebay.(**)").should().beFreeOfCycles().check(ours);
  }

  @ArchTest
  static void aPackageHasAtMost25Types(JavaClasses ours) {
    Map<String, Long> types =
        ours.stream()
            .filter(it -> it.isTopLevelClass() && !it.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(types)
        .isNotEmpty()
        .allSatisfy((name, count) -> assertThat(count).isLessThanOrEqualTo(25L));
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
