/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;

class CredentialsOutputTest {

  @TempDir Path directory;

  @Test
  void credentialsThatCouldNotBeWrittenAreNotMarkedAsShown() throws Exception {
    List<Object> events = new ArrayList<>();
    CredentialsOutput output =
        new CredentialsOutput(
            new ServerProperties(), events::add, null, new CredentialsFile(directory));
    AdminTokenMade token = new AdminTokenMade("admin", TokenText.generate(), true);
    Path obstacle = Files.createDirectories(directory.resolve("admin-credentials.new/full"));
    assertThatThrownBy(() -> output.made(token)).isInstanceOf(UncheckedIOException.class);
    Files.delete(obstacle);
    output.made(new AdminPasswordMade("admin", Passwords.generate()));
    output.ready(mock(ApplicationReadyEvent.class));
    assertThat(events).as("the token is nowhere").isEmpty();
    output.made(token);
    assertThat(events).hasOnlyElementsOfType(CredentialsShown.class).hasSize(1);
    assertThat(directory.resolve("admin-credentials")).content().contains(token.token());
  }
}
