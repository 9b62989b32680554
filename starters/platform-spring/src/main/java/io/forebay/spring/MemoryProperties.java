/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param partitionSize The most bytes that a partition may hold, including 96 bytes per message; at
 *     least 2MB.
 */
@ConfigurationProperties("forebay.memory")
@Validated
record MemoryProperties(@DefaultValue("64MB") DataSize partitionSize) implements Validator {

  private static final DataSize LEAST = DataSize.ofMegabytes(2);

  @Override
  public boolean supports(Class<?> type) {
    return type == MemoryProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (partitionSize.compareTo(LEAST) < 0) {
      errors.rejectValue("partitionSize", "small", "must be at least 2MB");
    }
  }
}
