/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Instant;

/**
 * What last made a service wait or fail. It stays when the service goes on.
 *
 * @param message in words for an operator
 * @param at when it was noticed
 */
public record ServiceError(String message, Instant at) {}
