/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.PageCookie;
import io.forebay.access.Users;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UsernameNotFoundException;
import org.springframework.security.web.authentication.rememberme.InvalidCookieException;
import org.springframework.security.web.authentication.rememberme.TokenBasedRememberMeServices;

/**
 * The login of a user with a password of Forebay: a cookie that names the user and the end of the
 * login, signed with the secret of the instances, the hash of the password and the number of
 * logouts. So every instance accepts it, also after a restart, until one of them changes.
 */
final class LoginCookie extends TokenBasedRememberMeServices {

  private static final PageCookie COOKIE = new PageCookie("forebay-session", "/admin", "Strict");

  /** Name, end, algorithm and signature. */
  private static final int PARTS = 4;

  private final Users users;

  LoginCookie(Users users, Duration lifetime) {
    super(
        "unused",
        name ->
            users
                .known(name)
                .map(user -> Account.ofCookie(user, Instant.MAX))
                .orElseThrow(() -> new UsernameNotFoundException("no such user")));
    this.users = users;
    setAlwaysRemember(true);
    setTokenValiditySeconds((int) lifetime.toSeconds());
  }

  @Override
  public String getKey() {
    return users.secret();
  }

  /** Whether the request has such a cookie, valid or not. */
  static boolean isIn(HttpServletRequest request) {
    return COOKIE.read(request) != null;
  }

  @Override
  protected @Nullable String extractRememberMeCookie(HttpServletRequest request) {
    return COOKIE.read(request);
  }

  /** The hash that was checked: a newer one in memory may not sign this login. */
  @Override
  protected @Nullable String retrievePassword(Authentication login) {
    return login.getPrincipal() instanceof Account account
        ? Account.ofCookie(account.user(), account.until()).getPassword()
        : null;
  }

  @Override
  protected String[] decodeCookie(String value) {
    try {
      return super.decodeCookie(value);
    } catch (IllegalArgumentException e) {
      throw new InvalidCookieException("not encoded as a cookie");
    }
  }

  @Override
  protected UserDetails processAutoLoginCookie(
      String[] parts, HttpServletRequest request, HttpServletResponse response) {
    if (parts.length != PARTS || !parts[2].equals(RememberMeTokenAlgorithm.SHA256.name())) {
      throw new InvalidCookieException("not a cookie of this version");
    }
    Account account;
    try {
      account = (Account) super.processAutoLoginCookie(parts, request, response);
    } catch (InvalidCookieException e) {
      throw new InvalidCookieException("not signed, or expired"); // without the signature
    }
    return Account.ofCookie(account.user(), Instant.ofEpochMilli(Long.parseLong(parts[1])));
  }

  @Override
  protected Authentication createSuccessfulAuthentication(
      HttpServletRequest request, UserDetails found) {
    return ((Account) found).login(users);
  }

  /** A cookie that the browser deletes when it is closed. */
  @Override
  protected void setCookie(
      String[] parts, int maxAge, HttpServletRequest request, HttpServletResponse response) {
    COOKIE.write(encodeCookie(parts), Duration.ofSeconds(-1), request, response);
  }

  /** Another instance may accept what this one refuses: it read the users later. */
  @Override
  protected void cancelCookie(HttpServletRequest request, HttpServletResponse response) {}

  @Override
  public void logout(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Authentication authentication) {
    COOKIE.write("", Duration.ZERO, request, response);
  }
}
