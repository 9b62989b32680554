/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.linux;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.slf4j.LoggerFactory;

/** What the kernel then says about the thread. */
@EnabledOnOs(OS.LINUX)
public class CpuBindingTest {

  private static final String NOT_THERE = Integer.toString(CpuSet.LIMIT - 1);

  /** The kernel keeps no more of the name of a thread. */
  private static final int MOST_OF_A_NAME = 15;

  private final Logger logger = (Logger) LoggerFactory.getLogger(CpuBinding.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void capture() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void release() {
    logger.detachAppender(lines);
  }

  private List<String> logged() {
    return lines.list.stream().map(it -> it.getLevel() + " " + it.getFormattedMessage()).toList();
  }

  /** The CPUs on which the current thread may run. */
  public static String allowed() {
    return allowed(Path.of("/proc/thread-self"));
  }

  /** The CPUs on which each thread of this process may run whose name begins like this. */
  public static List<String> allowed(String name) throws IOException {
    String known = name.substring(0, Math.min(name.length(), MOST_OF_A_NAME));
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      return tasks
          .filter(it -> read(it.resolve("comm")).getFirst().startsWith(known))
          .map(CpuBindingTest::allowed)
          .toList();
    }
  }

  private static String allowed(Path task) {
    return read(task.resolve("status")).stream()
        .filter(it -> it.startsWith("Cpus_allowed_list:"))
        .map(it -> it.substring(it.indexOf(':') + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of(""); // the thread has ended
    }
  }

  /** One CPU that this process may use. */
  public static String oneCpu() {
    String all = allowed();
    return all.substring(Math.max(all.lastIndexOf('-'), all.lastIndexOf(',')) + 1);
  }

  /** Binds a new thread; returns where it then may run. */
  private static String bind(CpuBinding binding) throws InterruptedException {
    AtomicReference<String> allowed = new AtomicReference<>();
    Thread.ofPlatform()
        .start(() -> {
          binding.bind();
          allowed.set(allowed());
        })
        .join();
    return allowed.get();
  }

  @Test
  void bindsEachThreadAndLogsItOnce() throws Exception {
    CpuBinding binding = new CpuBinding("service orders", CpuSet.of(oneCpu()));
    assertThat(bind(binding)).isEqualTo(oneCpu());
    assertThat(bind(binding)).isEqualTo(oneCpu());
    assertThat(logged())
        .containsExactly("INFO Threads of service orders are bound to CPUs " + oneCpu());
  }

  @Test
  void withoutCpusItChangesNothing() throws Exception {
    assertThat(bind(new CpuBinding("service orders", null))).isEqualTo(allowed());
    assertThat(logged()).isEmpty();
  }

  @Test
  void aRefusalIsOneWarning() throws Exception {
    CpuBinding binding = new CpuBinding("service orders", CpuSet.of(NOT_THERE));
    assertThat(bind(binding)).isEqualTo(allowed());
    assertThat(bind(binding)).isEqualTo(allowed());
    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith("WARN Threads of service orders are not bound to CPUs " + NOT_THERE)
        .contains("EINVAL");
  }

  @Test
  void saysIfTheKernelAllowsOnlySomeOfTheCpus() throws Exception {
    CpuBinding binding = new CpuBinding("service orders", CpuSet.of(oneCpu() + "," + NOT_THERE));
    assertThat(bind(binding)).isEqualTo(oneCpu());
    assertThat(logged())
        .singleElement()
        .asString()
        .startsWith("WARN Threads of service orders are bound only to CPUs " + oneCpu() + " of ");
  }
}
