/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.database.DatabaseLogin;
import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * @param datasource Connects to the database of tokens, users, audit and desired states; none: the
 *     database of the first gateway, as its owner.
 * @param owner Connects as the role that owns schema forebay in that database; none: the role of
 *     datasource.
 */
@ConfigurationProperties("forebay.system")
@Validated
record SystemProperties(
    @Valid @NestedConfigurationProperty @Nullable DatabaseLogin datasource,
    @Valid @NestedConfigurationProperty @Nullable DatabaseLogin owner)
    implements Validator {

  @Override
  public boolean supports(Class<?> type) {
    return type == SystemProperties.class;
  }

  @Override
  public void validate(Object target, Errors errors) {
    if (datasource != null) {
      datasource.checkDriver("datasource", errors);
    }
    if (owner != null) {
      owner.checkDriver("owner", errors);
    }
    if (datasource == null && owner != null) {
      errors.rejectValue("owner", "owner", "is allowed only with datasource");
    }
  }
}
