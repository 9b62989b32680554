/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.access.Passwords;
import io.forebay.access.Users;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredUser;
import io.forebay.system.TokenStore;
import io.forebay.web.ForebayController;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;

/** Creates, lists and deletes users. */
@ForebayController
@RequestMapping(UserController.PATH)
final class UserController extends AccessController<StoredUser> {

  static final String PATH = OwnPaths.PAGE + "/users";

  private final Users users;
  private final Passwords passwords;

  UserController(Users users, Passwords passwords, Audit audit) {
    super(audit, "user", "another one, who then sets a password", PATH);
    this.users = users;
    this.passwords = passwords;
  }

  /**
   * @param stored its statements are those that jobs may perform for the user
   * @param password only in the answer to the request that created the user
   */
  record View(
      @JsonUnwrapped
          @JsonIncludeProperties({
            "name",
            "role",
            "mustChange",
            "createdBy",
            "createdAt",
            "statements"
          })
          StoredUser stored,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String password) {}

  record Listed(List<View> users) {}

  @GetMapping
  Listed list() {
    return new Listed(stored().stream().map(user -> new View(user, null)).toList());
  }

  @PostMapping(consumes = "application/json")
  ResponseEntity<View> make(@RequestBody UserRequest body, HttpServletRequest request) {
    UserRequest wanted = valid(body);
    Actor actor = RefusalFilter.actor(request);
    String password = Passwords.generate();
    StoredUser user =
        new StoredUser(
            wanted.name(),
            passwords.encode(password),
            wanted.role(),
            true,
            actor.name(),
            clock.instant(),
            wanted.statements());
    return create(actor, user, () -> users.add(user), new View(user, password));
  }

  @Override
  List<StoredUser> stored() {
    return users.refresh();
  }

  @Override
  String name(StoredUser stored) {
    return stored.name();
  }

  @Override
  SequencedMap<String, String> fields(StoredUser stored) {
    return fields(stored.role(), stored.statements(), stored.createdAt());
  }

  @Override
  TokenStore.Removal remove(String name) {
    return users.remove(name);
  }
}
