/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

/**
 * A gateway on a database whose tables are there, which saves each start of a simulated process a
 * migration.
 */
public final class PreparedGateway {

  private PreparedGateway() {}

  public static JDBCService.Builder builder(String name) {
    return JDBCService.builder(name).prepared();
  }
}
