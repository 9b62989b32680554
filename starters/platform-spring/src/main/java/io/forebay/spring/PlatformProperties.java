/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param backend Backend of the queues: chronicle, memory or kafka.
 * @param data Directory of queues, embedded database and caches; for one process at a time.
 */
@ConfigurationProperties("forebay")
@Validated
record PlatformProperties(
    @DefaultValue("chronicle") Backend backend, @DefaultValue("${user.home}/.forebay") Path data)
    implements Validator {

  /** A backend and a class of its module; the module is present if the class is. */
  enum Backend {
    CHRONICLE("backend-chronicle", "io.forebay.chronicle.ChronicleBackend"),
    MEMORY("platform-core", "io.forebay.queue.memory.MemoryBackend"),
    KAFKA("backend-kafka", "io.forebay.kafka.KafkaBackend");

    private final String module;
    private final String type;

    Backend(String module, String type) {
      this.module = module;
      this.type = type;
    }
  }

  @Override
  public boolean supports(Class<?> type) {
    return type == PlatformProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (!ClassUtils.isPresent(backend.type, PlatformProperties.class.getClassLoader())) {
      errors.rejectValue(
          "backend",
          "missing",
          "needs the module io.forebay:%s, which is missing from the class path"
              .formatted(backend.module));
    }
    if (data.startsWith("~")) {
      errors.rejectValue("data", "home", "must be a path; your home directory is ${user.home}");
    }
  }
}
