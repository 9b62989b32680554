/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/**
 * What a token may do besides sending statements. Each role includes the permissions of those
 * before it.
 */
public enum Role {
  NONE,
  VIEWER,
  OPERATOR,
  ADMIN;

  /** The name in requests and in the database. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Role> of(String text) {
    return Arrays.stream(values()).filter(role -> role.text().equals(text)).findFirst();
  }

  /** The authorities of this role and of the roles it includes. */
  public List<GrantedAuthority> authorities() {
    return Arrays.stream(values())
        .filter(role -> role != NONE && role.compareTo(this) <= 0)
        .<GrantedAuthority>map(role -> new SimpleGrantedAuthority("ROLE_" + role.name()))
        .toList();
  }
}
