/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** What a token may do beside sending statements; each may do what those before it may. */
enum Role {
  NONE,
  VIEWER,
  OPERATOR,
  ADMIN;

  /** As it is written in requests and in the database. */
  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Role> of(String text) {
    return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
  }

  /** Its own, and those of the roles it contains. */
  List<GrantedAuthority> authorities() {
    return Arrays.stream(values())
        .filter(role -> role != NONE && role.compareTo(this) <= 0)
        .<GrantedAuthority>map(role -> new SimpleGrantedAuthority("ROLE_" + role.name()))
        .toList();
  }
}
