/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.security.Principal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Who requests an action. Users and tokens have names of their own: only together with the kind a
 * name says who it was.
 *
 * @param kind what the name is the name of
 * @param name the name of the user or token, or {@code anonymous}
 * @param role none, viewer, operator or admin
 * @param address the address that the request came from
 */
public record Actor(Kind kind, String name, String role, String address) {

  /** The process itself. */
  public static final Actor SYSTEM = new Actor(Kind.SYSTEM, "system", "admin", "local");

  /** What has the name of an actor. */
  public enum Kind {
    /** A user of the admin page, with a session or a password. */
    USER,
    /** A token. */
    TOKEN,
    /** A caller whom the OpenID provider has identified; the name contains its issuer. */
    OIDC,
    /** A caller whom an application with Forebay's starters has identified. */
    APPLICATION,
    /** Nobody was identified. */
    ANONYMOUS,
    /** The process itself. */
    SYSTEM,
    /** Several callers. */
    UNKNOWN;

    /** The kind in the audit. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** The kind with this text; unknown if there is none. */
    public static Kind ofText(String text) {
      for (Kind kind : values()) {
        if (kind.text().equals(text)) {
          return kind;
        }
      }
      return UNKNOWN;
    }

    /** What the name of a principal is the name of. */
    public static Kind of(@Nullable Principal principal) {
      return switch (principal) {
        case null -> ANONYMOUS;
        case KnownCaller known -> known.kind();
        default -> APPLICATION;
      };
    }
  }
}
