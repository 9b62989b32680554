/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.statement.Quarantine;

/**
 * A gateway on a database whose tables are there, which saves each start of a simulated process a
 * migration; a simulated process shares nothing with others.
 */
public final class PreparedGateway {

  private PreparedGateway() {}

  public static JDBCService.Builder builder(String name) {
    return JDBCService.builder(name).prepared().quarantine(new Quarantine());
  }
}
