/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;

/**
 * @param backend Backend of the queues: chronicle, kafka or memory; none: the first of these whose
 *     starter is on the class path.
 * @param data Directory of queues, embedded database and caches, for one process at a time; none:
 *     .forebay-NAME in the home directory, with spring.application.name as NAME. The service sets
 *     .forebay there.
 */
@ConfigurationProperties("forebay")
record PlatformProperties(@Nullable Backend backend, @Nullable Path data) implements Validator {

  private static final String SYSTEM_DATABASE = "io.forebay.system.SystemDatabase";

  /** A backend, its starter, and a class that is present if the starter is. */
  enum Backend {
    CHRONICLE("forebay-starter-chronicle", "io.forebay.chronicle.ChronicleBackend"),
    MEMORY("forebay-starter", "io.forebay.queue.memory.MemoryBackend"),
    KAFKA("forebay-starter-kafka", "io.forebay.kafka.KafkaBackend");

    private final String starter;
    private final String type;

    Backend(String starter, String type) {
      this.starter = starter;
      this.type = type;
    }
  }

  /** False if the only starter is the one with queues in memory. */
  boolean mayWriteFiles() {
    return Stream.of(SYSTEM_DATABASE, Backend.CHRONICLE.type, Backend.KAFKA.type)
        .anyMatch(PlatformProperties::isPresent);
  }

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, PlatformProperties.class.getClassLoader());
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == PlatformProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (backend != null && !isPresent(backend.type)) {
      errors.rejectValue(
          "backend",
          "missing",
          "needs io.forebay:%s, which is missing from the class path; add it to the dependencies"
              .formatted(backend.starter));
    }
    if (data != null && data.startsWith("~")) {
      errors.rejectValue("data", "home", "must be a path; your home directory is ${user.home}");
    }
  }
}
