/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;

/**
 * What an operator wants of a service, until he wants something else.
 *
 * @param paused whether it shall rest; if not it shall run
 * @param reason why, in his words; may be empty
 * @param by who he is
 */
public record DesiredState(String service, boolean paused, String reason, String by, Instant at) {}
