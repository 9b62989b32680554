/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.AccessRefresh;
import io.forebay.access.FirstAccess;
import io.forebay.access.Passwords;
import io.forebay.access.TokenFile;
import io.forebay.access.TokenOwner;
import io.forebay.access.Tokens;
import io.forebay.access.Users;
import io.forebay.chunk.remote.ChunkGrants;
import io.forebay.jdbc.http.StatementGrants;
import io.forebay.operations.Audit;
import io.forebay.operations.DataDirectory;
import io.forebay.system.TokenStore;
import io.forebay.system.UserStore;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tokens and users, which need the system database, and their grants. The door and the services for
 * chunks exist if there are grants.
 */
@AutoConfiguration(
    beforeName = {
      "io.forebay.system.SystemDatabaseAutoConfiguration",
      "io.forebay.jdbc.http.DoorAutoConfiguration",
      "io.forebay.chunk.remote.ChunksHttpAutoConfiguration"
    })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@EnableConfigurationProperties(SecurityProperties.class)
class AccessAutoConfiguration {

  /** How long tokens count that cannot be read again because the system database is away. */
  private static final Duration CACHED_TOKENS = Duration.ofHours(24);

  /** How often tokens and users are read; changes made at another instance take that long. */
  private static final Duration REFRESH = Duration.ofSeconds(2);

  @Bean
  Tokens forebayKnownTokens(TokenStore store, DataDirectory data, SecurityProperties properties) {
    // Not the mapper of the application, whose settings may change the form of the file.
    return new Tokens(
        store,
        new TokenFile(data.path(), JsonMapper.shared()),
        CACHED_TOKENS,
        InstantSource.system());
  }

  @Bean
  Users forebayKnownUsers(UserStore store) {
    return new Users(store);
  }

  @Bean
  Passwords forebayPasswords() {
    return new Passwords();
  }

  @Bean
  FirstAccess forebayFirstAccess(
      Tokens tokens,
      Users users,
      Passwords passwords,
      DataDirectory data,
      Audit audit,
      SecurityProperties properties) {
    return new FirstAccess(
        tokens, users, passwords, audit, data.path(), properties.first(), InstantSource.system());
  }

  @Bean
  AccessRefresh forebayAccessRefresh(
      Tokens tokens, Users users, FirstAccess first, SecurityProperties properties) {
    return new AccessRefresh(tokens, users, first, REFRESH);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(StatementGrants.class)
  static class OfStatements {

    @Bean
    @ConditionalOnMissingBean
    StatementGrants forebayStatementGrants() {
      return CallerAuthentication::isGranted;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(ChunkGrants.class)
  static class OfChunks {

    @Bean
    @ConditionalOnMissingBean
    ChunkGrants forebayChunkGrants() {
      return (caller, service) ->
          CallerAuthentication.isGranted(caller, TokenOwner.CHUNKS + service);
    }
  }
}
