/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forebay.access.Passwords;
import io.forebay.access.Role;
import io.forebay.access.Users;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.security.TokenRequest.Field;
import io.forebay.system.StoredUser;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import tools.jackson.databind.JsonNode;

/** Creates, lists and deletes users; each change is written to the audit before it is made. */
@ForebayController
@RequestMapping(OwnPaths.PAGE + "/users")
final class UserController {

  private final Users users;
  private final Passwords passwords;
  private final Audit audit;
  private final InstantSource clock = InstantSource.system();

  UserController(Users users, Passwords passwords, Audit audit) {
    this.users = users;
    this.passwords = passwords;
    this.audit = audit;
  }

  /**
   * @param statements those that jobs may perform for the user; an administrator may have all
   * @param password only in the answer to the request that created the user
   */
  record View(
      String name,
      String role,
      boolean mustChange,
      String createdBy,
      Instant createdAt,
      List<String> statements,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String password) {

    static View of(StoredUser user, @Nullable String password) {
      return new View(
          user.name(),
          user.role(),
          user.mustChange(),
          user.createdBy(),
          user.createdAt(),
          user.statements(),
          password);
    }
  }

  record Listed(List<View> users) {}

  @GetMapping
  Listed list() {
    return new Listed(users.refresh().stream().map(user -> View.of(user, null)).toList());
  }

  @PostMapping(consumes = "application/json")
  ResponseEntity<View> make(@RequestBody JsonNode body, Actor actor) {
    String name = body.path("name").stringValue("");
    String role = body.path("role").stringValue("");
    List<String> statements = check(name, role, body);
    String password = Passwords.generate();
    StoredUser user =
        new StoredUser(
            name,
            passwords.encode(password),
            role,
            true,
            actor.name(),
            clock.instant(),
            statements);
    String granted = statements.isEmpty() ? "" : ", statements " + String.join(" ", statements);
    return audit.perform(
        Audit.Entry.allowed(actor, "user.create", name, "role " + role + granted)
            .changing(Audit.Change.between(new LinkedHashMap<>(), fields(user))),
        () -> {
          if (!users.add(user)) {
            throw Problem.conflict(
                "A user with this name exists; delete it first, or choose another name.");
          }
          return ResponseEntity.created(URI.create(OwnPaths.PAGE + "/users/" + name))
              .body(View.of(user, password));
        });
  }

  private static List<String> check(String name, String role, JsonNode body) {
    List<Field> errors = new ArrayList<>();
    TokenRequest.checkName(name, errors);
    List<String> statements = TokenRequest.statements(body, errors);
    if (Role.of(role).filter(it -> it != Role.NONE).isEmpty()) {
      errors.add(new Field("/role", "must be viewer, operator or admin"));
    }
    if (!errors.isEmpty()) {
      throw Problem.invalidFields(errors);
    }
    return statements;
  }

  @DeleteMapping("/{name}")
  ResponseEntity<Void> delete(@PathVariable String name, Actor actor) {
    SequencedMap<String, String> before = find(users, name);
    return audit.perform(
        Audit.Entry.allowed(actor, "user.delete", name, "")
            .changing(
                before == null
                    ? Audit.Change.NONE
                    : Audit.Change.between(before, new LinkedHashMap<>())),
        () -> delete(name));
  }

  private static @Nullable SequencedMap<String, String> find(Users users, String name) {
    return users.refresh().stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .map(UserController::fields)
        .orElse(null);
  }

  private static SequencedMap<String, String> fields(StoredUser user) {
    return TokenController.fields(user.role(), user.statements(), user.createdAt());
  }

  private ResponseEntity<Void> delete(String name) {
    return switch (users.remove(name)) {
      case REMOVED -> ResponseEntity.noContent().build();
      case UNKNOWN -> throw Problem.notFound("There is no such user.");
      case LAST_ADMIN ->
          throw Problem.conflict(
              "The last user of role admin cannot be deleted; create another one first.");
    };
  }
}
