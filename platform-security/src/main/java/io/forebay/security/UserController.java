/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.access.Passwords;
import io.forebay.access.Refused;
import io.forebay.access.Users;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.system.StoredUser;
import io.forebay.web.ForebayController;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;

/** Creates, lists and deletes users. */
@ForebayController
@RequestMapping(UserController.PATH)
final class UserController {

  static final String PATH = OwnPaths.PAGE + "/users";

  private final Users users;
  private final Passwords passwords;
  private final AccessCommands commands;
  private final InstantSource clock = InstantSource.system();

  UserController(Users users, Passwords passwords, Audit audit) {
    this.users = users;
    this.passwords = passwords;
    this.commands = new AccessCommands(audit, "user", PATH);
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
    return new Listed(users.refresh().stream().map(user -> new View(user, null)).toList());
  }

  @PostMapping(consumes = "application/json")
  ResponseEntity<View> make(@RequestBody UserRequest body, HttpServletRequest request) {
    UserRequest wanted = AccessCommands.valid(body);
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
    return commands.create(
        actor, user.name(), fields(user), () -> users.add(user), new View(user, password));
  }

  /** Too many hashes are computed at the moment. */
  @ExceptionHandler
  void tooMany(Refused wait, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    new Problems().commence(request, response, wait);
  }

  @DeleteMapping("/{name}")
  ResponseEntity<Void> delete(@PathVariable String name, HttpServletRequest request) {
    return commands.delete(
        RefusalFilter.actor(request),
        name,
        users.refresh().stream()
            .filter(it -> it.name().equals(name))
            .findFirst()
            .map(UserController::fields),
        () -> users.remove(name));
  }

  private static SequencedMap<String, String> fields(StoredUser user) {
    return AccessCommands.fields(user.role(), user.statements(), user.createdAt());
  }
}
