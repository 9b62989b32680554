/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.MediaType;
import org.springframework.http.converter.json.JacksonJsonHttpMessageConverter;

/**
 * Reads and writes the documents of Forebay. The form of these documents is that of the API; it
 * must not depend on how the application has configured its own mapper. Thread-safe.
 */
final class OwnDocuments extends JacksonJsonHttpMessageConverter {

  private static final String OURS = "io.forebay.";

  @Override
  public boolean canRead(ResolvableType type, @Nullable MediaType media) {
    return isOurs(type.toClass()) && super.canRead(type, media);
  }

  @Override
  public boolean canWrite(ResolvableType type, Class<?> value, @Nullable MediaType media) {
    return isOurs(value) && super.canWrite(type, value, media);
  }

  private static boolean isOurs(Class<?> type) {
    return type.getName().startsWith(OURS);
  }
}
