/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Role;
import io.forebay.access.TokenOwner;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the groups of a caller may: the strongest of their roles, and all of their statements.
 *
 * @param server says in which claim the groups are, and how the configuration names them
 */
record GroupRights(
    ResourceServer server, Map<String, Role> roles, Map<String, List<String>> statements) {

  /** The caller with the rights of the groups in these claims. */
  TokenOwner caller(String name, Map<String, Object> claims) {
    List<String> groups =
        groups(claims).stream().map(group -> server.authorityPrefix() + group).toList();
    Role role =
        groups.stream()
            .map(group -> roles.getOrDefault(group, Role.NONE))
            .reduce(Role.NONE, (a, b) -> a.compareTo(b) < 0 ? b : a);
    return new TokenOwner(
        name,
        role,
        groups.stream()
            .flatMap(group -> statements.getOrDefault(group, List.of()).stream())
            .distinct()
            .sorted()
            .toList());
  }

  private List<String> groups(Map<String, Object> claims) {
    Pattern delimiter = server.authoritiesClaimDelimiter();
    return switch (find(claims, server.authoritiesClaimName())) {
      case String text -> delimiter == null ? List.of(text) : List.of(delimiter.split(text));
      case Collection<?> several ->
          several.stream().filter(String.class::isInstance).map(String.class::cast).toList();
      case null, default -> List.of();
    };
  }

  /** A claim of this name, or one within others. */
  private static @Nullable Object find(Map<?, ?> claims, String path) {
    Object found = claims.get(path);
    int dot = path.indexOf('.');
    return found == null && dot > 0 && claims.get(path.substring(0, dot)) instanceof Map<?, ?> inner
        ? find(inner, path.substring(dot + 1))
        : found;
  }
}
