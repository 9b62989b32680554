/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

import java.util.Arrays;
import java.util.List;

/** The names of all scalar types of parameters. */
public final class ParameterTypes {

  private ParameterTypes() {}

  public static List<String> all() {
    return Arrays.stream(ScalarType.values()).map(ScalarType::word).toList();
  }
}
