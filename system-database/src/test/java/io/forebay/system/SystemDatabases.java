/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import javax.sql.DataSource;

/** System databases for tests of other packages. */
public final class SystemDatabases {

  private SystemDatabases() {}

  public static SystemDatabase of(DataSource user, DataSource owner) {
    return new SystemDatabase(user, owner);
  }
}
