/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.machine.Machine;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;

/**
 * This process.
 *
 * @param name the name of this instance
 * @param backend the queue backend, such as {@code chronicle}
 * @param since when it started
 */
public record Instance(String name, String backend, Instant since) {

  public static Instance current(String backend) {
    ProcessHandle process = ProcessHandle.current();
    return new Instance(
        process.pid() + "@" + host(),
        backend,
        process.info().startInstant().orElseGet(Machine::now));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException _) {
      return System.getenv().getOrDefault("HOSTNAME", "localhost"); // host name not resolved
    }
  }
}
