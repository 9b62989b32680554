/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param drain How long jobs may take to stop and then services to perform waiting messages before
 *     the process ends. 0s: not at all.
 */
@ConfigurationProperties("forebay.shutdown")
record ShutdownProperties(@DefaultValue("10s") Duration drain) {}
