/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.util.List;

/**
 * What a role may do in schema {@code forebay}. The role that performs statements reaches nothing
 * of the system's, so that no statement can make itself a token, let its traces disappear or resume
 * what an operator paused.
 */
enum TableRights {
  GATEWAY(
      List.of(
          new Right("progress"),
          new Right("outcome"),
          new Right("request"),
          new Right("dead_letter"),
          new Right("failed_statement"))),
  /** Nothing of a token or of an entry of the audit is ever changed. */
  SYSTEM(
      List.of(
          new Right("service_state"),
          new Right("instance"),
          new Right("token", List.of("SELECT", "INSERT", "DELETE")),
          new Right("admin_user"),
          new Right("admin_session"),
          new Right("audit", List.of("SELECT", "INSERT", "DELETE"))));

  /** Tables that the role of a gateway must have no right to. */
  static final List<String> NOT_FOR_STATEMENTS =
      List.of("token", "admin_user", "admin_session", "audit", "service_state", "instance");

  private final List<Right> rights;

  TableRights(List<Right> rights) {
    this.rights = rights;
  }

  List<Right> rights() {
    return rights;
  }

  record Right(String table, List<String> privileges) {

    Right(String table) {
      this(table, List.of("SELECT", "INSERT", "UPDATE", "DELETE"));
    }
  }
}
