/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.capacity.UsualRates;
import io.forebay.file.DurableFiles;
import io.forebay.report.ServiceWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The file {@code rates} of the data directory: the {@link UsualRates} of each service, replaced
 * once a minute and at the stop, so that a start knows them.
 */
final class KnownRates implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(KnownRates.class);
  private static final Duration EVERY = Duration.ofMinutes(1);

  private final Path file;
  private final Collection<ServiceWatch> services;
  private final JsonMapper json = JsonMapper.builder().build();
  private final BackgroundTask saving =
      new BackgroundTask(
          "forebay-rates",
          EVERY,
          new Outage(log, "Saving the usual rates of services", "it is retried every minute"),
          this::save);

  KnownRates(Path directory, Collection<ServiceWatch> services) {
    file = directory.resolve("rates");
    this.services = services;
  }

  @Override
  public void start() {
    try {
      Map<String, UsualRates> known =
          Files.exists(file)
              ? json.readValue(Files.readAllBytes(file), new TypeReference<>() {})
              : Map.of();
      services.forEach(it -> it.past().remember(known.getOrDefault(it.name(), UsualRates.UNKNOWN)));
    } catch (IOException | RuntimeException e) {
      log.warn(
          "The file {} cannot be read; capacities and usual rates are unknown until they are"
              + " measured again",
          file,
          e);
    }
    saving.start(EVERY);
  }

  private void save() throws IOException {
    Map<String, UsualRates> known = new TreeMap<>();
    services.forEach(it -> known.put(it.name(), it.past().usual()));
    DurableFiles.replace(file, json.writeValueAsBytes(known), DurableFiles.accessibleToOwner());
  }

  @Override
  public void stop() {
    saving.close();
    try {
      save();
    } catch (IOException | JacksonException e) {
      log.warn("The usual rates of services could not be saved", e);
    }
  }

  @Override
  public boolean isRunning() {
    return saving.isRunning();
  }

  /** Starts before the first sample, and stops after the last one. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE - 1;
  }
}
